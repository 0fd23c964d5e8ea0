/** The token file, changed while the daemon serves. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { callHttp } from '../helpers/http.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('daemon: tokens', (test) => {
  let folder: string;
  let file: string;
  let daemon: TestDaemon;
  const put = (...lines: string[]) => {
    writeFileSync(`${file}.new`, lines.join(''), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  const headers = (name: string) => ({ authorization: `Bearer ${secretOf(name)}` });
  const secretOf = (name: string) => `token-of-${name}`;
  const hashed = (name: string, role: string) =>
    `${name} ${role} sha256:${createHash('sha256').update(secretOf(name)).digest('hex')}\n`;
  const status = async (name: string) =>
    (await daemon.call('GET', '/whoami', { headers: headers(name) })).status;
  test.before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stage-token-watch-'));
    file = join(folder, 'tokens');
    put(hashed('ann', 'operator'), hashed('bob', 'author'));
    daemon = await startTestDaemon({ flags: { tokenFile: file, fourEyes: true } });
  });
  test.after(async () => {
    await daemon.stop();
    rmSync(folder, { recursive: true });
  });

  test('are taken and given up when the file changes', async () => {
    assert.equal([await status('ann'), await status('bob'), await status('cy')], [200, 200, 401]);
    put(hashed('ann', 'operator'), hashed('cy', 'author'));
    await until(async () => (await status('cy')) === 200);
    assert.equal([await status('ann'), await status('bob')], [200, 401]);
  });

  test('that are given up hear nothing more of what they wait for', async () => {
    put(hashed('ann', 'operator'), hashed('cy', 'author'));
    await until(async () => (await status('cy')) === 200);
    const created = await daemon.call('POST', '/sessions', { json: {}, headers: headers('cy') });
    const path = `/sessions/${created.body.session_id}/events?wait=30&after=999999`;
    const waiting = rejects(callHttp(daemon.restUrl, 'GET', path, { headers: headers('cy') }));
    put(hashed('ann', 'operator'));
    assert.match((await waiting).message, /socket hang up|ECONNRESET|other side closed|terminated/);
  });

  for (const [what, spoil] of Object.entries({
    'cannot be understood': () => put('ann boss sha256:00\n'),
    'is empty': () => put(''),
    'is gone': () => rmSync(file),
    'is open to others': () => chmodSync(file, 0o644),
  })) {
    test(`stay as they were when the file ${what}`, async () => {
      put(hashed('ann', 'operator'));
      await until(async () => (await daemon.call('GET', '/health')).body.warning === undefined);
      spoil();
      await until(async () => (await daemon.call('GET', '/health')).body.warning !== undefined);
      const { status: code, body } = await daemon.call('GET', '/health');
      assert.equal([code, body.status], [200, 'ok']);
      assert.not.match(body.warning, folder);
      assert.equal([await status('ann'), await status('nobody')], [200, 401]);
      assert.ok(daemon.logged.some((each) => each.includes('the former tokens stay valid')));
    });
  }
});

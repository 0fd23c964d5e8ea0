/** The CI recipe in real processes: a script staged by psql, a person who decides, and how it ends. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Shell } from '../cli/stage.ts';
import { createShell, installStage } from '../cli/stage.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { needProgram } from '../helpers/programs.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const script = resolve('templates/ci/stage-change.sh');
const slow = { timeout: 180_000 };

suite('CI recipe', (test) => {
  let daemon: TestDaemon;
  let shell: Shell;
  let env: Record<string, string>;
  test.before(async () => {
    daemon = await startTestDaemon({ flags: { web: 'on' } });
    shell = await createShell(daemon.restUrl);
    const { user, password } = daemon.database;
    env = {
      ...(await installStage(shell)),
      PGUSER: user,
      PGPASSWORD: password,
      STAGE_PROJECT: 'shop',
      STAGE_RUN: 'run-17',
      STAGE_APPROVER: 'ada',
    };
    await writeFile(
      join(shell.folder, 'raise.sql'),
      `UPDATE products SET price = price + 1 WHERE sku = 'MUG-01';`,
    );
    await writeFile(
      join(shell.folder, 'note.sql'),
      `UPDATE orders SET note = '@ada' WHERE id = 1;`,
    );
    await writeFile(
      join(shell.folder, 'nothing.sql'),
      'UPDATE orders SET note = note WHERE false;',
    );
    await writeFile(
      join(shell.folder, 'wrong.sql'),
      `UPDATE orders SET note = 'x'; UPDATE nowhere SET a = 1;`,
    );
  });
  test.after(async () => {
    await shell.clear();
    await daemon.stop();
  });

  /** Runs the script. Its output about the session can be read while it waits. */
  function change(args: readonly string[], more: Record<string, string> = {}) {
    const outcome = { code: null as number | null, stdout: '', stderr: '' };
    const options = { cwd: shell.folder, env: { ...env, ...more } };
    const child = execFile('bash', [script, ...args], options);
    child.stdout?.on('data', (text) => (outcome.stdout += text));
    child.stderr?.on('data', (text) => (outcome.stderr += text));
    const ended = new Promise<typeof outcome>((done) =>
      child.once('close', (code) => done(Object.assign(outcome, { code }))),
    );
    return { outcome, ended };
  }
  const value = (text: string, name: string) =>
    new RegExp(`^${name}=(\\S+)$`, 'm').exec(text)?.[1] ?? '';
  const sessions = async () => (await daemon.call('GET', '/sessions')).body.sessions;
  const decide = (id: string, verb: string, json: object) =>
    daemon.call('POST', `/sessions/${id}/${verb}`, { json });

  test(
    'stages, shows, waits for a person, and ends with 0',
    async () => {
      needProgram('psql');
      await writeFile(join(shell.folder, 'post'), '#!/bin/sh\ncp "$1" posted.md\n', {
        mode: 0o755,
      });
      const running = change(['run', 'raise.sql', 'note.sql'], {
        STAGE_POST: './post',
        GITHUB_OUTPUT: 'outputs',
      });
      await until(() => /^digest=/m.test(running.outcome.stdout));
      const id = value(running.outcome.stdout, 'session');
      const digest = value(running.outcome.stdout, 'digest');
      const { body } = await daemon.call('GET', `/sessions/${id}`);
      assert.equal(
        [body.status, body.project_id, body.metadata],
        ['proposed', 'shop', { run: 'run-17' }],
      );
      await until(() => readFile(join(shell.folder, 'posted.md'), 'utf8').catch(() => null));
      const comment = await readFile(join(shell.folder, 'posted.md'), 'utf8');
      assert.match(comment, /<code>price<\/code>: <code>9\.50<\/code> → <code>10\.50<\/code>/);
      assert.not.match(comment, /@ada/);
      assert.match(comment, new RegExp(`Digest: .${digest}`));
      assert.match(comment, `\nReview: ${daemon.restUrl}/review/${id}\n`);
      assert.match(comment, /find no conflict with production[\s\S]*\n {4}would land 2 rows: .*\n/);
      assert.is(
        await readFile(join(shell.folder, 'outputs'), 'utf8'),
        `session=${id}\ndigest=${digest}\n`,
      );
      await decide(id, 'approve', { approved_by: 'bea', digest });
      const { code, stdout } = await running.ended;
      assert.is(code, 0);
      assert.match(stdout, new RegExp(`^${id}\\tapproved$`, 'm'));
      const [row] = await daemon.database.query(`SELECT price FROM products WHERE sku = 'MUG-01'`);
      assert.is(row?.['price'], '10.50');
    },
    slow,
  );

  test(
    'approves with the digest after a person has agreed elsewhere, and ends with 3 when it is another',
    async () => {
      needProgram('psql');
      const { code, stdout } = await change(['open', 'raise.sql']).ended;
      const [id, digest] = [value(stdout, 'session'), value(stdout, 'digest')];
      assert.is(code, 0);
      const other = await change(['approve', id, `sha256:${'0'.repeat(64)}`]).ended;
      assert.is(other.code, 3);
      const approved = await change(['approve', id, digest]).ended;
      assert.equal([approved.code, approved.stdout], [0, `${id}\tapproved\n`]);
      assert.is((await daemon.call('GET', `/sessions/${id}`)).body.approved_by, 'ada');
      const unnamed = await change(['open', 'raise.sql']).ended;
      const [second, shown] = [value(unnamed.stdout, 'session'), value(unnamed.stdout, 'digest')];
      await change(['approve', second, shown], { STAGE_APPROVER: '' }).ended;
      const { body } = await daemon.call('GET', `/sessions/${second}`);
      assert.is(body.approved_by, 'not told to stage-change.sh');
    },
    slow,
  );

  test(
    'ends with 3 and applies nothing when production has moved',
    async () => {
      needProgram('psql');
      const { stdout } = await change(['open', 'raise.sql']).ended;
      await daemon.database.query(`UPDATE products SET price = 99 WHERE sku = 'MUG-01'`);
      const { code, stderr } = await change([
        'approve',
        value(stdout, 'session'),
        value(stdout, 'digest'),
      ]).ended;
      assert.is(code, 3);
      assert.match(stderr, /price: was 12\.50, staged 13\.50, in production 99\.00/);
    },
    slow,
  );

  test(
    'says in the comment that approval would be refused, and leads back to the run',
    async () => {
      await daemon.database.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RAISE ''no notes today''; END';
        CREATE TRIGGER refuse AFTER UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION refuse()`);
      const { code } = await change(['open', 'note.sql'], { STAGE_RUN: 'https://ci/1' }).ended;
      await daemon.database.query('DROP FUNCTION refuse CASCADE');
      assert.is(code, 0);
      const comment = await readFile(join(shell.folder, 'stage-diff.md'), 'utf8');
      assert.match(comment, /approval would be refused[\s\S]*\n {4}.*no notes today/);
      assert.match(comment, /\nRun: https:\/\/ci\/1\n$/);
    },
    slow,
  );

  test(
    'ends with 6 when it is rejected, and with 8 when nobody decides',
    async () => {
      needProgram('psql');
      const { stdout } = await change(['open', 'raise.sql']).ended;
      const id = value(stdout, 'session');
      assert.is((await change(['wait', id], { STAGE_TIMEOUT: '0' }).ended).code, 8);
      await decide(id, 'reject', { reason: 'not now' });
      const { code, stderr } = await change(['wait', id]).ended;
      assert.is(code, 6);
      assert.match(stderr, /not now/);
    },
    slow,
  );

  test(
    'leaves nothing behind of a script that fails or changes nothing',
    async () => {
      needProgram('psql');
      const before = (await sessions()).length;
      const failed = await change(['open', 'wrong.sql']).ended;
      assert.equal([failed.code, failed.stdout], [1, '']);
      assert.match(failed.stderr, /relation "nowhere" does not exist[\s\S]*wrong\.sql failed/);
      const nothing = await change(['open', 'nothing.sql']).ended;
      assert.equal([nothing.code, nothing.stdout], [0, '']);
      assert.is((await sessions()).length, before);
    },
    slow,
  );

  test(
    'ends with 64 when it is called wrongly, and with 7 when nobody answers',
    async () => {
      for (const args of [[], ['close'], ['open'], ['approve', 'x'], ['open', 'absent.sql']])
        assert.is((await change(args).ended).code, 64);
      const nowhere = { STAGE_SERVER: 'http://127.0.0.1:1' };
      assert.is((await change(['open', 'raise.sql'], nowhere).ended).code, 7);
    },
    slow,
  );
});

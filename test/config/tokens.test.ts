/** Tokens come only from places that belong to the user. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { readTokens } from '../../src/config/tokens.ts';
import { assert, suite } from '../helpers/suite.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

suite('tokens', (test) => {
  let base = '';
  test.before(() => {
    base = mkdtempSync(join(tmpdir(), 'stage-tokens-'));
  });
  test.after(() => rmSync(base, { recursive: true, force: true }));
  const read = (env: Record<string, string>) =>
    readTokens(loadConfig({ flags: {}, env: { HOME: base, ...env }, cwd: base }).settings);

  test('are none by default', () => assert.equal(read({}), { accepted: [], own: null }));

  test('come from the environment and from a file of mode 0600', () => {
    const path = join(base, 'good');
    writeFileSync(path, '# for CI\none\n\n two \n', { mode: 0o600 });
    const { accepted, own } = read({ STAGE_TOKEN: 'zero', STAGE_TOKEN_FILE: path });
    assert.is(own, 'zero');
    assert.equal(
      accepted,
      ['zero', 'one', 'two'].map((token) => ({
        name: 'operator',
        role: 'operator',
        projects: null,
        hash: sha256(token),
        databaseRoles: [],
        expiresAt: null,
      })),
    );
  });

  test('have names, roles and projects where only their hashes are stored', () => {
    const path = join(base, 'hashed');
    const hash = sha256('secret').toString('hex');
    writeFileSync(
      path,
      `agent-7   author:shop,crm  sha256:${hash}\nann@x reviewer database_roles=ann,Ann_2 expires=2030-01-31T00:00:00Z  sha256:${hash}\nplain\n`,
      { mode: 0o600 },
    );
    const { accepted, own } = read({ STAGE_TOKEN_FILE: path });
    assert.is(own, 'plain', 'what the commands can show');
    assert.equal(accepted.slice(0, 2), [
      {
        name: 'agent-7',
        role: 'author',
        projects: ['shop', 'crm'],
        hash: sha256('secret'),
        databaseRoles: [],
        expiresAt: null,
      },
      {
        name: 'ann@x',
        role: 'reviewer',
        projects: null,
        hash: sha256('secret'),
        databaseRoles: ['ann', 'Ann_2'],
        expiresAt: '2030-01-31T00:00:00Z',
      },
    ]);
  });

  test('are refused with the line that cannot be read, and without its secrets', () => {
    const path = join(base, 'bad');
    const hash = sha256('secret').toString('hex');
    for (const line of [
      `ann boss sha256:${hash}`,
      `ann reviewer ${hash}`,
      `ann reviewer sha256:${hash}0`,
      `ann reviewer: sha256:${hash}`,
      'ann reviewer secret',
      `ann reviewer database_roles= sha256:${hash}`,
      `ann reviewer roles=ann sha256:${hash}`,
      `ann database_roles=ann reviewer sha256:${hash}`,
      `ann reviewer expires=2030-01-31 sha256:${hash}`,
      `ann reviewer expires=2030-02-31T00:00:00Z sha256:${hash}`,
      `ann reviewer expires=2030-01-31T00:00:00+02 sha256:${hash}`,
      `ann reviewer expires=2030-01-31T00:00:00Z database_roles=ann sha256:${hash}`,
      `a/nn reviewer sha256:${hash}`,
    ]) {
      writeFileSync(path, line, { mode: 0o600 });
      const check = (error: Error) => !/secret|[0-9a-f]{64}/.test(error.message);
      assert.throws(() => read({ STAGE_TOKEN_FILE: path }), check, line);
      assert.throws(() => read({ STAGE_TOKEN_FILE: path }), /has a line for "a\/?nn"/, line);
    }
  });

  test('are not taken from a file that others can read', () => {
    const path = join(base, 'open');
    writeFileSync(path, 'one');
    chmodSync(path, 0o640);
    assert.throws(() => read({ STAGE_TOKEN_FILE: path }), /is open to others/);
  });

  test('must be there when a file is named', () => {
    assert.throws(() => read({ STAGE_TOKEN_FILE: join(base, 'none') }), /cannot be read: ENOENT/);
  });
});

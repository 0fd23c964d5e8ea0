/** Tokens come from places that are the user's alone. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { readTokens } from '../../src/config/tokens.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('tokens', (test) => {
  let base = '';
  test.before(() => {
    base = mkdtempSync(join(tmpdir(), 'stage-tokens-'));
  });
  test.after(() => rmSync(base, { recursive: true, force: true }));
  const read = (env: Record<string, string>) =>
    readTokens(loadConfig({ flags: {}, env: { HOME: base, ...env }, cwd: base }).settings);

  test('are none by default', () => assert.equal(read({}), []));

  test('come from the environment and from a file of mode 0600', () => {
    const path = join(base, 'good');
    writeFileSync(path, '# for CI\none\n\n two \n', { mode: 0o600 });
    assert.equal(read({ STAGE_TOKEN: 'zero', STAGE_TOKEN_FILE: path }), ['zero', 'one', 'two']);
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

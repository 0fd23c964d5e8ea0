/** SIGTERM ends the long run of random scripts in the middle of one, with its counts, and it leaves no database behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { compiled } from '../helpers/compiled.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('the end of a long run', (test) => {
  let database: TestDatabase;
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
  });
  test.after(() => database.drop());

  test('comes with SIGTERM, in the middle of a script', async () => {
    const child = spawn(process.execPath, [compiled('test/fuzz.ts')], {
      env: { ...process.env, STAGE_TEST_LENGTH: '5000', STAGE_TEST_LANES: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = text(child.stdout);
    const ended = once(child, 'close');
    const databases = () =>
      database.query(`SELECT FROM pg_database WHERE datname LIKE '%fuzz%${child.pid}%'`);
    await until(async () => child.exitCode !== null || (await databases()).length > 1);
    child.kill('SIGTERM');
    const [code, signal] = await ended;
    assert.equal([code, signal], [1, null]);
    assert.match(await output, /seeds 1 to 1: 0 statements, 0 differences/);
    assert.equal(await databases(), []);
  });
});

/** Which messages of a client are recorded on their way to PostgreSQL. */
import type { TestDatabase } from './database.ts';
import { createTestDatabase } from './database.ts';
import type { RecordingUpstream } from './recording-upstream.ts';
import { startRecordingUpstream } from './recording-upstream.ts';
import { assert, suite } from './suite.ts';
import { p, q, run, runScript, s } from './wire-script.ts';

suite('an upstream that records', (test) => {
  let database: TestDatabase;
  let upstream: RecordingUpstream;
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    upstream = await startRecordingUpstream(database);
  });
  test.after(async () => {
    await upstream.stop();
    await database.drop();
  });

  /** Returns the texts of some messages, without those at the begin and end of the connection. */
  const textsOf = async (messages: readonly Buffer[]) => {
    await runScript(upstream.urlFor(database), messages);
    return upstream.take().filter((text) => !text.includes('the end of the script'));
  };

  test('passes everything on, and tells texts once, those of a split message, too', async () => {
    const long = `SELECT '${'x'.repeat(200_000)}'`;
    assert.equal(
      await textsOf([q('SELECT 1; SELECT 2'), run('SELECT 3'), run('SELECT 3'), run(long)]),
      [...['SELECT 1; SELECT 2', 'SELECT 3'], long],
    );
    assert.equal(upstream.take(), []);
  });

  test('tells what is only prepared', async () => {
    assert.equal(await textsOf([p('SELECT 4', 'kept'), s]), ['SELECT 4']);
    assert.equal(await textsOf([q('PREPARE kept AS SELECT 5')]), ['PREPARE kept AS SELECT 5']);
  });

  test('does not record the service account', async () => {
    const url = `${upstream.urlFor(database)}&application_name=stage`;
    await runScript(url, [q('SELECT 6')]);
    assert.equal(upstream.take(), []);
  });
});

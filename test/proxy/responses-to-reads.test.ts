/** Messages that write nothing get the same responses through the proxy as directly. */

import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { pipelineSchema, randomPipeline } from '../helpers/random-pipeline.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, c, d, e, h, p, q, run, runScript, s } from '../helpers/wire-script.ts';

const series = 'SELECT * FROM generate_series(1, 10)';

const scripts: Record<string, readonly Buffer[]> = {
  'one query': [q('SELECT 1')],
  'no query at all': [q(''), q(';'), q('-- words'), p(''), b(), d(), e(), s],
  'several in one message': [q('SELECT 1; SELECT 2; SELECT * FROM generate_series(1, 3)')],
  'syntax errors': [q('SELEC 1'), q('SELECT 1; SELEC'), p('SELEC'), b(), e(), s],
  'errors of the server': [
    q('SELECT 1/0; SELECT 2'),
    q('SELECT * FROM nowhere'),
    q('SELECT nowhere, $$ö$$ FROM item'),
    q('SELECT 1; SELECT nowhere FROM item; SELECT 2'),
  ],
  'a pipeline': [run('SELECT $1::int + 1', '41'), run('SELECT 2'), s, run('SELECT 3'), s],
  'an error in a pipeline': [
    run('SELECT 1'),
    run('SELECT 1/0'),
    run('SELECT 3'),
    s,
    run('SELECT 4'),
    s,
  ],
  'a portal in parts': [q('BEGIN'), p(series), b(), e(3), e(3), s, e(3), e(3), e(), s, q('COMMIT')],
  'a portal that ends with its transaction': [p(series), b(), e(3), s, e(3), s],
  'named statements and portals': [
    ...[p('SELECT $1::text', 'x'), d('statement', 'x'), s],
    ...[b(['a'], 'x', 'px'), d('portal', 'px'), e(0, 'px'), c('portal', 'px'), s],
    ...[c('statement', 'x'), b(['a'], 'x'), s],
    ...[p('SELECT 1', 'twice'), p('SELECT 2', 'twice'), s, b([], 'twice'), e(), s],
  ],
  'the unnamed statement': [
    ...[p('SELECT 7'), s, b(), e(), s, b(), e(), s],
    ...[q('SELECT 1'), b(), e(), s],
    ...[p('SELECT 8'), p('SELEC'), s, b(), e(), s],
  ],
  'what does not exist': [
    ...[b([], 'nowhere'), s, e(0, 'nowhere'), s, d('portal', 'nowhere'), s],
    ...[d('statement', 'nowhere'), s, c('portal', 'nowhere'), c('statement', 'nowhere'), s],
  ],
  'wrong parameters': [
    ...[p('SELECT $1::int'), b(['a']), e(), s],
    ...[p('SELECT $1::int'), b([]), e(), s],
    ...[p('SELECT $1::int'), b([Buffer.from([0, 0, 0, 9])]), e(), s],
  ],
  'Flush in place of Sync': [p('SELECT 7'), h, b(), h, d(), e(), h, s, s, s],
  'several statements to prepare': [p('SELECT 1; SELECT 2'), b(), e(), s],
  'a Query behind an error before Sync': [run('SELECT 1/0'), q('SELECT 2'), run('SELECT 3'), s],
  'COPY to the client': [
    q('COPY (SELECT * FROM generate_series(1, 5)) TO STDOUT'),
    q('COPY item TO STDOUT (FORMAT csv, HEADER)'),
    ...[run('COPY item TO STDOUT (FORMAT binary)'), s],
    q('BEGIN; COPY item TO STDOUT; COMMIT'),
  ],
  notices: [
    q('SET client_min_messages = debug1'),
    q('SELECT 1'),
    q('ABORT'),
    q('BEGIN; BEGIN; ROLLBACK'),
  ],
  'a transaction': [
    q('BEGIN'),
    q('SELECT 1'),
    q('SELECT 1/0'),
    q('SELECT 2'),
    q('COMMIT'),
    q('SELECT 5'),
  ],
  'a transaction in one batch': [run('BEGIN'), run('SELECT 1'), run('COMMIT'), run('SELECT 2'), s],
  'a transaction in one message': [
    q('BEGIN; SELECT 1; COMMIT; SELECT 2'),
    q('SELECT 1; BEGIN; SELECT 2'),
    q('COMMIT; SELECT 3'),
    q('SELECT 1; COMMIT; ROLLBACK'),
    q('SELECT 1; BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT 2'),
  ],
  'transaction control outside of one': [
    ...['COMMIT', 'ROLLBACK', 'SAVEPOINT x', 'RELEASE x', 'ROLLBACK TO x', 'COMMIT AND CHAIN'].map(
      q,
    ),
    ...[run('COMMIT'), s, run('SAVEPOINT x'), s],
    ...['SELECT 1; SAVEPOINT x', 'SELECT 1; ROLLBACK TO x', 'SELECT 1; ROLLBACK AND CHAIN'].map(q),
  ],
  'a setting that an error undoes': [
    q("BEGIN; SET timezone = 'Asia/Tokyo'; SELECT 1/0; COMMIT"),
    ...[q('ROLLBACK'), q("SET timezone = 'Asia/Seoul'; SELECT 1/0"), q('SELECT 1')],
    ...[run('BEGIN'), run("SET timezone = 'Asia/Tokyo'"), run('SELECT 1/0'), s, q('ROLLBACK')],
  ],
  savepoints: [
    ...['BEGIN', 'SELECT 1', 'SAVEPOINT a', 'SELECT 2', 'SELECT 1/0', 'ROLLBACK TO a'].map(q),
    ...['SELECT 3', 'RELEASE a', 'RELEASE a', 'ROLLBACK TO a', 'COMMIT'].map(q),
  ],
  'savepoints in batches': [
    ...[run('BEGIN'), run('SELECT 1'), run('SAVEPOINT a'), run('SELECT 1/0'), s],
    ...[run('ROLLBACK TO a'), run('SELECT 2'), run('ROLLBACK'), run('SELECT 3'), s],
  ],
  chains: [
    ...['BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1', 'COMMIT AND CHAIN'].map(q),
    ...['SHOW transaction_isolation', 'SELECT 1/0', 'ROLLBACK AND CHAIN'].map(q),
    ...['SHOW transaction_isolation', 'SHOW transaction_read_only', 'ROLLBACK'].map(q),
  ],
  'access modes': [
    ...[
      'BEGIN READ ONLY',
      'SELECT 1',
      'SHOW transaction_read_only',
      'UPDATE item SET id = 1',
      'ROLLBACK',
    ].map(q),
    ...['BEGIN', 'SELECT 1', 'SHOW transaction_read_only', 'SET TRANSACTION READ ONLY'].map(q),
    ...['SHOW transaction_read_only', 'SET TRANSACTION READ WRITE', 'ROLLBACK'].map(q),
    q('SET TRANSACTION READ ONLY'),
  ],
  'the default access': [
    ...[
      'SET default_transaction_read_only = on',
      'DELETE FROM item',
      'BEGIN',
      'DELETE FROM item',
      'END',
    ].map(q),
    ...[
      'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
      'BEGIN',
      'SHOW transaction_read_only',
    ].map(q),
    ...['ROLLBACK', 'BEGIN; SELECT 1/0', 'SET default_transaction_read_only = on', 'ROLLBACK'].map(
      q,
    ),
  ],
  settings: [
    ...['SET application_name = foo', 'SHOW application_name', 'SET TIME ZONE UTC'].map(q),
    q('BEGIN; SET application_name = bar; ROLLBACK; SHOW application_name'),
    q(
      `BEGIN; SET LOCAL application_name = 'x'; SELECT 1; SHOW application_name; COMMIT; SHOW application_name`,
    ),
    ...[q('SET search_path = pg_catalog'), q('SELECT * FROM item'), q('RESET search_path')],
    ...[run('SET application_name = baz'), run('SELECT 1'), s],
  ],
  'SQL prepared statements': [
    ...['PREPARE a AS SELECT $1::int', 'EXECUTE a(5)', 'EXECUTE a', 'PREPARE a AS SELECT 1'].map(q),
    ...[b(['7'], 'a'), e(), s, p('SELECT 1', 'a'), s, run('EXECUTE a(6)'), s],
    ...[
      'DEALLOCATE a',
      'EXECUTE a(1)',
      'BEGIN; PREPARE b AS SELECT 2; EXECUTE b; ROLLBACK',
      'EXECUTE b',
    ].map(q),
    ...[run('PREPARE d AS SELECT 3'), run('EXECUTE d'), b([], 'd'), e(), run('DEALLOCATE d'), s],
    q('DEALLOCATE ALL'),
  ],
  'DISCARD ALL': [
    p('SELECT 1', 'n'),
    s,
    q('DISCARD ALL'),
    b([], 'n'),
    s,
    q('BEGIN; DISCARD ALL'),
    q('ROLLBACK'),
  ],
  cursors: [
    ...['BEGIN', `DECLARE c CURSOR FOR ${series}`, 'FETCH 3 FROM c', 'MOVE 2 FROM c'].map(q),
    ...[
      e(2, 'c'),
      s,
      q('CLOSE c'),
      q('FETCH c'),
      q('ROLLBACK'),
      q(`DECLARE c CURSOR FOR ${series}`),
    ],
  ],
};

suite('answers to reads', (test) => {
  let proxied: Proxied;
  let url: string;
  test.before(async () => {
    proxied = await startProxied(pipelineSchema);
    url = await proxied.session();
  });
  test.after(() => proxied.stop());

  for (const [name, messages] of Object.entries(scripts)) {
    test(name, async () => {
      assert.equal(await runScript(url, messages), await runScript(proxied.database.url, messages));
    });
  }

  test('messages cut anywhere', async () => {
    const random = createRandom(1);
    const messages = Object.values(scripts)
      .flat()
      .filter((message) => message !== h);
    const whole = await runScript(url, messages);
    assert.equal(await runScript(url, messages, () => 1 + random.below(40)), whole);
  });

  test('random conversations', async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const messages = randomPipeline(createRandom(seed), 15, false);
      // When a guarded read fails, the settings of its transaction stay changed until the client rolls back.
      const compared = (answers: string[]) => answers.filter((answer) => !answer.startsWith('S '));
      const answers = compared(await runScript(url, messages));
      assert.equal(
        answers,
        compared(await runScript(proxied.database.url, messages)),
        `seed ${seed}`,
      );
    }
  });

  test('production is what it was', async () => {
    assert.is((await proxied.contents()).length, 12);
    assert.is((await proxied.database.query('SELECT FROM stage.mutation')).length, 0);
  });
});

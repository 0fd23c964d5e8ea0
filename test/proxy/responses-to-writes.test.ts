/** Writes get the same responses from the proxy as from a database that is really changed. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { pipelineSchema, randomPipeline } from '../helpers/random-pipeline.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, c, d, e, h, p, q, run, runScript, s } from '../helpers/wire-script.ts';

const update = 'UPDATE item SET name = $1 WHERE id = $2 RETURNING id, name';
const rename = (name: string) => q(`UPDATE item SET name = '${name}' WHERE id = 1 RETURNING name`);
const four = Buffer.from([0, 0, 0, 4]);

const scripts: Record<string, readonly Buffer[]> = {
  'one statement each': [
    q(`INSERT INTO item VALUES (20, 'x') RETURNING *`),
    q(`/* why */ UPDATE item SET amount = 7 WHERE id = 20 -- because`),
    q('DELETE FROM public.item WHERE public.item.id = 20 RETURNING amount'),
    q(
      'INSERT INTO item SELECT g, $$ü$$ FROM generate_series(21, 25) g; DELETE FROM item WHERE id > 20',
    ),
  ],
  'constraints and mistakes': [
    q('INSERT INTO item (id) VALUES (30)'),
    q(`INSERT INTO item VALUES (1, 'again')`),
    q(`SELECT $$öö$$; INSERT INTO item (nowhere) VALUES (1)`),
    q('UPDATE item SET name = $$ä$$, nowhere = 1'),
    q('INSERT INTO nowhere VALUES (1)'),
    q('UPDATE item SET amount = -1 WHERE id = 1'),
    q('UPDATE item SET amount = 1/0'),
    q('INSERT INTO part VALUES (40, 999)'),
    q('UPDATE item i SET id = 1 WHERE i.nowhere'),
  ],
  parameters: [
    ...[run(update, 'a', '1'), s, run(update, 'b', '1'), s],
    ...[run(update, null, '1'), s, run(update, 'c', 'no number'), s],
    ...[
      p(update),
      b(['too few']),
      d(),
      e(),
      s,
      p(update),
      b(['too', 'many', 'values']),
      d(),
      e(),
      s,
    ],
    ...[
      p('UPDATE item SET amount = $1 WHERE id = $2 RETURNING amount', '', [23, 23]),
      b([four, four]),
      e(),
      s,
    ],
    ...[run('UPDATE item SET nowhere = $1', 'a'), s, run('UPDATE nowhere SET id = $1', '1'), s],
  ],
  'a named statement': [
    ...[
      p(update, 'w'),
      d('statement', 'w'),
      s,
      b(['a', '1'], 'w'),
      e(),
      s,
      b(['b', '1'], 'w'),
      d(),
      e(1),
      e(1),
      s,
    ],
    ...[p(update, 'w'), s, c('statement', 'w'), s, b(['c', '1'], 'w'), s],
  ],
  'a transaction': [
    ...[q('BEGIN'), rename('t1'), q('SELECT 1'), rename('t2'), q('SAVEPOINT a')],
    ...[
      q('UPDATE item SET name = NULL'),
      q('SELECT 1'),
      q('ROLLBACK TO a'),
      rename('t3'),
      q('SELECT 2'),
    ],
    ...[
      q('RELEASE a'),
      rename('t4'),
      q('COMMIT'),
      rename('t5'),
      q('BEGIN'),
      rename('t6'),
      q('ROLLBACK'),
      rename('t7'),
    ],
  ],
  'a deferred constraint at the end': [
    q('INSERT INTO part VALUES (50, 999)'),
    ...[
      run('INSERT INTO part VALUES (51, 999)'),
      s,
      run('INSERT INTO part VALUES (52, 999)'),
      run('SELECT 1'),
      s,
    ],
    q('INSERT INTO part VALUES (53, 999) RETURNING id; SELECT 2'),
    ...['BEGIN', 'INSERT INTO part VALUES (54, 999)', 'COMMIT', 'SELECT 3'].map(q),
  ],
  'several in one message': [
    q(
      `UPDATE item SET name = 'm1' WHERE id = 1; SELECT 1; UPDATE item SET name = 'm2' WHERE id = 1 RETURNING name`,
    ),
    q(`UPDATE item SET name = 'm3' WHERE id = 1; SELECT 1/0; UPDATE item SET name = 'm4'`),
    ...[
      q(`UPDATE item SET name = 'm5' WHERE id = 1; BEGIN; SELECT 2`),
      q('ROLLBACK'),
      rename('m6'),
    ],
    q(
      `UPDATE item SET name = 'm7' WHERE id = 1; COMMIT; SELECT 2; UPDATE item SET name = 'm8' WHERE id = 1`,
    ),
    q(`UPDATE item SET name = 'm9' WHERE id = 1; SAVEPOINT x`),
    q('BEGIN; DELETE FROM part; ROLLBACK; DELETE FROM part WHERE id = 4'),
    q(
      `SET LOCAL work_mem = '1MB'; UPDATE item SET name = current_setting('work_mem') RETURNING name`,
    ),
  ],
  'a pipeline': [
    ...[run(update, 'p1', '1'), run('SELECT 1'), run(update, 'p2', '1'), s],
    ...[run('SELECT 1'), run(update, 'p3', '1'), run('SELECT 2'), s],
    ...[run(update, 'p4', '1'), run('SELECT 1/0'), run(update, 'p5', '1'), s, rename('p6')],
    ...[run(update, 'p7', '1'), h, run(update, 'p8', '1'), h, s],
  ],
  'a transaction in batches': [
    ...[
      run('BEGIN'),
      run(update, 'x1', '1'),
      run('SELECT 1'),
      run(update, 'x2', '1'),
      run('ROLLBACK'),
    ],
    ...[run('SELECT 1'), run(update, 'x3', '1'), s, run(update, 'x4', '1'), run('COMMIT'), s],
    ...[
      run(update, 'x5', '1'),
      run('BEGIN'),
      run(update, 'x6', '1'),
      s,
      q('ROLLBACK'),
      rename('x7'),
    ],
  ],
  portals: [
    ...[
      q('BEGIN'),
      p('DELETE FROM part RETURNING id'),
      b(),
      e(2),
      s,
      e(1),
      e(),
      e(),
      s,
      q('ROLLBACK'),
    ],
    ...[q('BEGIN'), p(update, 'a'), b(['1', '1'], 'a', 'one'), b(['2', '2'], 'a', 'two')],
    ...[
      e(0, 'two'),
      e(0, 'one'),
      s,
      q('ROLLBACK'),
      p('SELECT id FROM item ORDER BY id'),
      b([], '', 'open'),
    ],
    ...[q('BEGIN'), p('SELECT id FROM item ORDER BY id'), b([], '', 'read'), e(2, 'read'), s],
    ...[rename('q1'), e(2, 'read'), s, rename('q2'), e(9, 'read'), s, q('COMMIT')],
  ],
  'SQL prepared statements': [
    q(`PREPARE w(text, int) AS ${update}`),
    ...[
      `EXECUTE w('e1', 1)`,
      `EXECUTE w('e2')`,
      `EXECUTE w('e3', 2/0)`,
      `EXECUTE w(upper('e4'), 4 - 3)`,
    ].map(q),
    ...[b(['e5', '1'], 'w'), e(), s, run(`EXECUTE w('e6', 1)`), s],
    ...[
      'BEGIN',
      `EXECUTE w('e7', 1)`,
      'SELECT 1',
      `EXECUTE w('e8', 1); SELECT 2`,
      'COMMIT',
      'DEALLOCATE w',
    ].map(q),
    ...['PREPARE n AS UPDATE nowhere SET id = 1', 'EXECUTE n'].map(q),
  ],
  'a session that only reads': [
    ...[
      'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
      'DELETE FROM item',
      'BEGIN',
      'DELETE FROM item',
    ].map(q),
    ...['ROLLBACK', 'BEGIN READ WRITE', 'DELETE FROM part WHERE id = 4', 'ROLLBACK'].map(q),
    ...[
      run(update, 'r1', '1'),
      s,
      q('SELECT 1; DELETE FROM item'),
      q('RESET default_transaction_read_only'),
    ],
  ],
};

suite('answers to writes', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(pipelineSchema);
  });
  test.after(() => proxied.stop());
  test.beforeEach(async () => {
    const [, , ...data] = pipelineSchema.trim().split('\n');
    await proxied.twin.query(['TRUNCATE item, part', ...data].join(';\n'));
  });

  for (const [name, messages] of Object.entries(scripts)) {
    test(name, async () => {
      const before = await proxied.contents();
      const url = await proxied.session('staged');
      assert.equal(await runScript(url, messages), await runScript(proxied.twin.url, messages));
      const rows = [q('SELECT * FROM item ORDER BY id; SELECT * FROM part ORDER BY id')];
      assert.equal(
        await runScript(url, rows),
        await runScript(proxied.twin.url, rows),
        'the rows then',
      );
      assert.equal(await proxied.contents(), before, 'production');
    });
  }

  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]) {
    test(`random conversation ${seed}`, async () => {
      const random = createRandom(seed);
      const messages = randomPipeline(random, 20, true);
      const url = await proxied.session('staged');
      const nextSize = random.chance(0.5) ? () => 1 + random.below(100) : () => 1e9;
      const answers = await runScript(url, messages, nextSize);
      const reports = (message: string) => !message.startsWith('S ');
      const expected = await runScript(proxied.twin.url, messages);
      assert.equal(answers.filter(reports), expected.filter(reports));
    });
  }
});

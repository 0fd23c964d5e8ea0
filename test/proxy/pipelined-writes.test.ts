/**
 * Random batches of several writes get the responses of PostgreSQL: staged as a set or row by row, inside and outside of a block, some of
 * which fail. STAGE_TEST_STATEMENTS is the number of scripts.
 */
import { firstDifference } from '../helpers/first-difference.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { pipelineSchema } from '../helpers/random-pipeline.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, run, runScript, s } from '../helpers/wire-script.ts';

const count = drawn(40, 'STATEMENTS');
const first = firstSeed();

/** Some find rows that the session has staged, and some violate a constraint, which PostgreSQL reports with the row. */
const writes: readonly ((id: string) => Buffer)[] = [
  (id) => run('UPDATE item SET amount = amount + $1 WHERE id > $2', '2', id),
  (id) => run('UPDATE item SET amount = amount - 40 WHERE id = $1', id),
  (id) => run('UPDATE item SET id = id + 1 WHERE id = $1 RETURNING id', id),
  (id) => run(`INSERT INTO item VALUES ($1, 'new', 1)`, id),
  (id) =>
    run(`INSERT INTO item SELECT g, 'many', g FROM generate_series($1::int, $1::int + 2) g`, id),
  (id) => run('INSERT INTO part VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET item = 2', id),
  (id) => run('DELETE FROM item WHERE id = $1', id),
  (id) => run('DELETE FROM part WHERE id >= $1', id),
  (id) => run('UPDATE part SET item = $1 WHERE id < 4', id),
  (id) => run('UPDATE part SET id = id + 20 WHERE id = $1', id),
  () => run('SELECT id, amount FROM item ORDER BY id'),
];

const begins = [[], [q('BEGIN')], [q('BEGIN')], [q('BEGIN'), q('SAVEPOINT a')]];
const ends = [[q('COMMIT')], [q('COMMIT')], [q('ROLLBACK')], [q('ROLLBACK TO a'), q('COMMIT')]];

function script(random: Random): Buffer[] {
  const turn = () => {
    const batch = Array.from({ length: 1 + random.below(4) }, () =>
      random.pick(writes)(String(1 + random.below(12))),
    );
    return [...random.pick(begins), ...batch, s, ...random.pick([[], [s]]), ...random.pick(ends)];
  };
  const shown = [q('SELECT * FROM item ORDER BY id'), q('SELECT * FROM part ORDER BY id')];
  return [...Array.from({ length: 3 + random.below(4) }, turn).flat(), ...shown];
}

suite('batches of several writes', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(pipelineSchema);
  });
  test.after(() => proxied.stop());

  const [, , ...fill] = pipelineSchema.trim().split('\n');
  const refill = ['TRUNCATE item, part', ...fill].join(';\n');

  const all = async () => {
    const production = await proxied.contents();
    const differing: string[] = [];
    for (let seed = first; seed < first + count; seed += 1) {
      const messages = script(createRandom(seed));
      await proxied.twin.query(refill);
      const session = await proxied.session('staged');
      // beside another connection of the session each further write is behind a savepoint
      const other = seed % 2 === 0 ? null : await proxied.wire(session);
      const staged = await runScript(session, messages);
      other?.close();
      const direct = await runScript(proxied.twin.url, messages);
      if (JSON.stringify(staged) === JSON.stringify(direct)) continue;
      differing.push(`STAGE_TEST_SEED=${seed} ${firstDifference(staged, direct)}`);
    }
    assert.equal(differing, []);
    assert.equal(await proxied.contents(), production, 'production');
  };
  test('a block in which the first write is staged again, when a savepoint has been set for the second', async () => {
    const messages = [
      ...[q(`INSERT INTO item VALUES (9, 'nine', 2)`), q('DELETE FROM part WHERE id = 2')],
      ...[q('BEGIN'), run('UPDATE item SET amount = amount + 1 WHERE id > 1')],
      ...[run('DELETE FROM part WHERE id > 3'), s, q('SELECT * FROM item ORDER BY id')],
    ];
    await proxied.twin.query(refill);
    assert.equal(
      await runScript(await proxied.session('staged'), messages),
      await runScript(proxied.twin.url, messages),
    );
  });

  test(`${count} scripts, from seed ${first}`, all, { timeout: 36_000_000 });
});

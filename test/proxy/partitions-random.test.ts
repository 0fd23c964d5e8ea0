/**
 * Random partitioned tables and random statements that name their partitions get PostgreSQL's responses, and approval leaves the same rows.
 * STAGE_TEST_STATEMENTS is the number of tables, STAGE_TEST_SEED the first seed.
 */
import type pg from 'pg';
import { outcomeOf } from '../helpers/both-ways.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { drawPartitioned, drawStatement } from './partition-draws.ts';

const count = drawn(4, 'STATEMENTS');
const first = firstSeed();
const statements = 18;

suite('random writes that name partitions', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
  });
  test.after(() => proxied.stop());

  test(
    'are answered, and applied, as directly',
    async () => {
      let written = 0;
      let refused = 0;
      for (let seed = first; seed < first + count; seed += 1) {
        const random = createRandom(seed);
        const table = drawPartitioned(random, `t${seed}`);
        for (const { query } of [proxied.database, proxied.twin]) await query(table.schema);
        const session = await proxied.daemon.newSession({ reads: 'staged' });
        const staged = await proxied.connect(proxied.daemon.clientUrl(session));
        const direct = await proxied.connect(proxied.twin.url);
        const reported: string[] = [table.schema];
        for (let taken = 0; taken < statements; taken += 1) {
          const text = drawStatement(random, table);
          reported.push(text);
          const [answer, expected] = [await outcomeOf(staged, text), await outcomeOf(direct, text)];
          assert.equal(
            withoutRow(answer),
            withoutRow(expected),
            `seed ${seed}\n${reported.join(';\n')}`,
          );
          if ('error' in expected) refused += 1;
          else written += 1;
        }
        for (const client of [staged, direct]) await client.end();
        await approve(session);
        assert.equal(
          await rowsIn(proxied.database, table.name),
          await rowsIn(proxied.twin, table.name),
          `seed ${seed}, approved`,
        );
      }
      assert.ok(Math.min(written, refused) > count, `${written} written, ${refused} refused`);
    },
    { timeout: Math.max(300_000, count * 60_000) },
  );

  async function approve(session: string): Promise<void> {
    for (const step of ['propose', 'approve']) {
      const { status, text } = await proxied.daemon.call('POST', `/sessions/${session}/${step}`);
      assert.is(status, 200, text);
    }
  }
});

/** The plan decides which of several rows the message names. */
const withoutRow = (outcome: object) =>
  'error' in outcome
    ? { ...outcome, error: { ...(outcome.error as object), detail: null } }
    : outcome;

async function rowsIn({ query }: Pick<Proxied['twin'], 'query'>, table: string) {
  const rows = await query<pg.QueryResultRow>(
    `SELECT tableoid::regclass::text, t.* FROM ${table} t ORDER BY t::text`,
  );
  return rows.map((row) => JSON.stringify(row));
}

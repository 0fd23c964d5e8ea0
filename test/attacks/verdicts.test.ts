/**
 * Random text that tries to look like a read: what is judged a read is run on a server, which tells the truth.
 * STAGE_TEST_STATEMENTS (20,000) is the number of texts, STAGE_TEST_SEED the first one's seed.
 */
import pg from 'pg';
import { parseQuery } from '../../src/sql/parse-query.ts';
import { loadParser } from '../../src/sql/parser.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { randomText } from './random-text.ts';
import { schema } from './schema.ts';

const count = Number(process.env['STAGE_TEST_STATEMENTS'] ?? 20_000);
const firstSeed = Number(process.env['STAGE_TEST_SEED'] ?? Date.now() % 1_000_000_000);

/** Whether all statements of a text are judged reads. What cannot be parsed is refused. */
function isRead(text: string): boolean {
  try {
    const statements = parseQuery(Buffer.from(text));
    return statements.length > 0 && statements.every(({ verdict }) => verdict.kind === 'read');
  } catch {
    return false;
  }
}

suite('verdicts', (test) => {
  let database: TestDatabase;
  let clients: { readonly writable: pg.Client; readonly readOnly: pg.Client };
  test.before(async () => {
    await loadParser();
    database = await createTestDatabase({ template: 'empty' });
    await database.query(schema);
    // Texts without calls must not call by a mere comparison.
    await database.query('DROP OPERATOR = (text, int); INSERT INTO victim VALUES (1), (2)');
    const [writable, readOnly] = ['off', 'on'].map(
      (access) =>
        new pg.Client({
          connectionString: database.url,
          options: `-c default_transaction_read_only=${access} -c statement_timeout=5s`,
        }),
    ) as [pg.Client, pg.Client];
    await Promise.all([writable.connect(), readOnly.connect()]);
    clients = { writable, readOnly };
  });
  test.after(async () => {
    await Promise.all([clients.writable.end(), clients.readOnly.end()]);
    await database.drop();
  });

  const state = () =>
    database.query(
      `SELECT count(*), sum(id), (SELECT count(*) FROM pg_class WHERE relname LIKE 'made%') AS made FROM victim`,
    );

  /** Runs texts judged reads as the proxy would: where they may write, unless they call functions that do. */
  const runAll = async (texts: readonly string[], calls: boolean) => {
    const client = calls ? clients.readOnly : clients.writable;
    for (const text of texts) await client.query(text).catch(() => undefined);
  };

  for (const calls of [false, true]) {
    test(
      calls
        ? 'a read that calls what writes is stopped by READ ONLY'
        : 'what is judged a read writes nothing even where it may',
      async () => {
        const before = await state();
        let reads = 0;
        for (let seed = firstSeed; seed < firstSeed + count / 2; ) {
          const batch: string[] = [];
          for (const end = seed + 200; seed < end; seed += 1) {
            const text = randomText({ random: createRandom(seed), calls });
            if (isRead(text)) batch.push(text);
          }
          await runAll(batch, calls);
          assert.equal(await state(), before, `seeds ${seed - 200} to ${seed}`);
          reads += batch.length;
        }
        // Too few reads, or nothing else, would prove nothing.
        assert.ok(reads > count / 20 && reads < (count / 2) * 0.9, `${reads} reads`);
      },
      { timeout: Math.max(120_000, count * 20) },
    );
  }

  test('the same server does write what is not judged a read', async () => {
    const before = await state();
    const texts = Array.from({ length: 500 }, (_, seed) =>
      randomText({ random: createRandom(seed), calls: false }),
    );
    await runAll(
      texts.filter((text) => !isRead(text)),
      false,
    );
    assert.not.equal(await state(), before);
  });
});

/**
 * Random text that looks like a read: every text classified as a read runs on a server, which shows whether it writes.
 * STAGE_TEST_STATEMENTS (20,000) is the number of statements, STAGE_TEST_SEED the first text's seed.
 */
import { parseQuery } from '../../src/sql/classify/parse-query.ts';
import { loadParser } from '../../src/sql/parser/parser.ts';
import { backend } from '../../src/wire/message-codes.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { connectWire, q } from '../helpers/wire-script.ts';
import { randomText } from './random-text.ts';
import { schema } from './schema.ts';

const count = drawn(5_000, 'STATEMENTS');
const first = firstSeed();
/** The number of texts that are sent, and checked, together. */
const batchSize = 200;

/**
 * Returns the parts of a text that are classified as reads: all of it, so that it runs unchanged, or some of its statements. A text that
 * cannot be parsed is refused.
 */
function readsIn(text: string): string[] {
  try {
    const statements = parseQuery(Buffer.from(text));
    const reads = statements.filter(({ verdict }) => verdict.kind === 'read');
    const isWhole = reads.length > 0 && reads.length === statements.length;
    return isWhole ? [text] : reads.map((read) => read.text.toString());
  } catch {
    return [];
  }
}

interface Batch {
  readonly reads: string[];
  readonly others: string[];
  statements: number;
}

function makeBatch(from: number, calls: boolean): Batch {
  const batch: Batch = { reads: [], others: [], statements: 0 };
  for (let seed = from; seed < from + batchSize; seed += 1) {
    const { text, statements } = randomText({ random: createRandom(seed), calls });
    const reads = readsIn(text);
    batch.reads.push(...reads);
    if (reads.length === 0) batch.others.push(text);
    batch.statements += statements;
  }
  return batch;
}

suite(`verdicts from seed ${first}`, (test) => {
  let database: TestDatabase;
  let clients: { readonly writable: WireClient; readonly readOnly: WireClient };
  test.before(async () => {
    await loadParser();
    database = await createTestDatabase({ template: 'empty' });
    await database.query(schema);
    // With this operator, a mere comparison in a text without calls would call a function.
    await database.query(`DROP OPERATOR = (text, int); INSERT INTO victim VALUES (1), (2);
      CREATE TABLE one (x text); INSERT INTO one VALUES ('one')`);
    const [writable, readOnly] = await Promise.all(
      ['off', 'on'].map((access) => {
        const url = new URL(database.url);
        const settings = `-c default_transaction_read_only=${access} -c statement_timeout=5s -c log_min_messages=panic`;
        url.searchParams.set('options', settings);
        return connectWire(url.href);
      }),
    );
    clients = { writable, readOnly } as typeof clients;
  });
  test.after(async () => {
    clients.writable.close();
    clients.readOnly.close();
    await database.drop();
  });

  const state = () =>
    database.query(
      `SELECT (SELECT string_agg(concat_ws(' ', ctid, xmin, id), ',') FROM victim) AS victim,
        (SELECT string_agg(concat_ws(' ', ctid, xmin, id, name), ',') FROM item) AS item,
        (SELECT count(*) FROM pg_class WHERE relname LIKE 'made%') AS made, (SELECT last_value FROM numbers) AS number`,
    );

  /** Runs texts as the proxy would run reads, or where they may write. Returns how many succeeded. */
  const runAll = async (texts: readonly string[], client: WireClient): Promise<number> => {
    client.send(...texts.map(q));
    const answers = await client.readTo(backend.readyForQuery, texts.length);
    return texts.length - answers.filter(({ type }) => type === backend.errorResponse).length;
  };

  for (const calls of [false, true]) {
    test(
      calls
        ? 'a read that calls what writes is stopped by READ ONLY'
        : 'what is judged a read writes nothing even where it may',
      async () => {
        const before = await state();
        const sum = { statements: 0, reads: 0, ran: 0 };
        for (let seed = first; sum.statements < count / 2; seed += batchSize) {
          const { reads, statements } = makeBatch(seed, calls);
          const ran = await runAll(reads, calls ? clients.readOnly : clients.writable);
          assert.equal(await state(), before, `seeds ${seed} to ${seed + batchSize}`);
          sum.statements += statements;
          sum.reads += reads.length;
          sum.ran += ran;
        }
        const figures = `${calls ? 'with' : 'without'} calls: ${JSON.stringify(sum)}\n`;
        process.stdout.write(figures);
        // Too few reads, or nothing else, would prove nothing.
        assert.ok(sum.reads > count / 20 && sum.reads < (count / 2) * 0.9, figures);
        assert.ok(calls || sum.ran > sum.reads * 0.9, figures);
      },
      { timeout: Math.max(120_000, count * 20) },
    );
  }

  test('the same server does write what is not judged a read', async () => {
    const before = await state();
    await runAll(makeBatch(0, false).others, clients.writable);
    assert.not.equal(await state(), before);
  });
});

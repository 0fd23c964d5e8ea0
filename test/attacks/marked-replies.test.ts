/**
 * Clients that die in the middle of results, and those that come after them: each gets the responses to its own queries, on a backend that
 * nobody has used before. STAGE_TEST_REPLIES (1,000) is the number of marked responses that are checked.
 */
import { decodeDataRow } from '../../src/wire/backend-decoder.ts';
import { backend } from '../../src/wire/message-codes.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { connectWire, q, run, s } from '../helpers/wire-script.ts';

const count = drawn(300, 'REPLIES');
const seed = firstSeed();
const atOnce = 8;
const most = { questions: 60, rows: 40 };
const schema = `CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item VALUES (1, 'one')`;

/** A query that identifies a backend, and counts what an earlier client has left in it. */
const backendQuestion = `SELECT pg_backend_pid() || ' ' || backend_start,
  (SELECT count(*) FROM pg_prepared_statements WHERE name !~ '^_stage_') + (SELECT count(*) FROM pg_cursors)
    + (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
  FROM pg_stat_activity WHERE pid = pg_backend_pid()`;

suite(`marked replies from seed ${seed}`, (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test(
    'reach who asked for them',
    async () => {
      const [url, staged] = [await proxied.session(), await proxied.session('staged')];
      const backends = new Set<string>();
      const totals = { connections: 0, replies: 0, died: 0 };

      /** Runs one client. It identifies itself, sends queries, and reads to the end or dies. */
      const live = async (random: Random, id: number): Promise<void> => {
        const wire = await connectWire(random.chance(0.5) ? url : staged);
        wire.send(q(backendQuestion));
        const [, row] = await wire.readTo(backend.readyForQuery);
        const [name, left] = decodeDataRow(row!.payload).map(String);
        assert.not(backends.has(String(name)), `backend ${name} is used again`);
        assert.is(left, '0');
        backends.add(String(name));
        totals.connections += 1;
        const questions = Array.from({ length: 1 + random.below(most.questions) }, (_, index) => ({
          mark: `${id}.${index}`,
          rows: random.below(most.rows),
        }));
        const isDying = random.chance(0.3);
        wire.send(...questions.map((question) => ask(random, question)), s);
        if (isDying) wire.send(q(`PREPARE left AS SELECT 1; SELECT repeat('x', 1000000), '${id}'`));
        const heardTo = isDying ? random.below(questions.length) : questions.length;
        for (const question of questions.slice(0, heardTo)) await checkReply(wire, question);
        totals.replies += heardTo;
        if (isDying) totals.died += 1;
        wire.close();
      };

      let next = 0;
      const lane = async () => {
        while (totals.replies < count) {
          next += 1;
          await live(createRandom(seed + next), next);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
      process.stdout.write(`${JSON.stringify(totals)}\n`);
      assert.ok(totals.died > 0);
      assert.is(backends.size, totals.connections);
    },
    { timeout: Math.max(240_000, count * 10) },
  );
});

interface Question {
  readonly mark: string;
  readonly rows: number;
}

async function checkReply(wire: WireClient, { mark, rows }: Question): Promise<void> {
  for (let row = 0; row < rows; row += 1) {
    const message = (await wire.readTo(backend.dataRow)).at(-1);
    assert.equal(decodeDataRow(message!.payload).map(String), [mark, String(row)]);
  }
}

/** Returns a query in one of the forms. Each of its rows has its mark and number. */
function ask(random: Random, { mark, rows }: Question): Buffer {
  const series = `generate_series(0, ${rows - 1}) g`;
  return random.pick([
    () => q(`SELECT '${mark}', g FROM ${series}`),
    () => Buffer.concat([run(`SELECT $1::text, g FROM ${series}`, mark), s]),
    () => run(`SELECT '${mark}', g FROM ${series}, item`),
  ])();
}

/** Heavy texts are classified in a separate thread, with the same result as any text, in bounded time and memory. */
import { classifyApart } from '../../src/sql/classify/classify-apart.ts';
import { parseQuery } from '../../src/sql/classify/parse-query.ts';
import { ParseThread } from '../../src/sql/parser/parse-thread.ts';
import { allowHeavyTexts, loadParser } from '../../src/sql/parser/parser.ts';
import { SqlSyntaxError } from '../../src/sql/parser/syntax-error.ts';
import { assert, suite } from '../helpers/suite.ts';
import { ormStatements, reads, writes } from './corpus.ts';

const length = 64 * 1024;
/** Returns a text that is padded at its start, because byte positions matter, too. */
const long = (text: string) => Buffer.from(text.padStart(length));

/** The program of a thread. It returns the name of its task, except for two tasks. */
const program = new URL(
  `data:text/javascript,import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ task }) => {
    if (task === 'end') process.exit(1);
    if (task === 'for ever') for (;;);
    parentPort.postMessage({ result: task });
  });`,
);
const limits = { waitingBytes: 1000, ms: 60_000 };
const question = (task: string) => ({ task, args: [] });

suite('sql: the parse thread', (test) => {
  test.before(() => {
    allowHeavyTexts();
    return loadParser();
  });

  test('gives the verdicts that texts get in place', async () => {
    for (const text of [...reads, ...writes, ...ormStatements, 'SELECT FROM FROM']) {
      const sent = long(text);
      assert.equal(
        await outcome(() => classifyApart(sent)),
        await outcome(() => parseQuery(sent)),
        text,
      );
    }
  });

  test('refuses by the limit of a text', async () => {
    const [statement] = await classifyApart(long('SELECT 1'), 40_000);
    assert.is(statement?.verdict.kind, 'refuse');
  });

  test('leaves the thread free that asks', async () => {
    const list = Buffer.from(`SELECT 1 IN (${Array(200_000).fill('1').join()})`);
    // This starts the thread.
    await classifyApart(long('SELECT 1'));
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const [statement] = await classifyApart(list);
    clearInterval(timer);
    assert.is(statement?.verdict.kind, 'read');
    const start = performance.now();
    parseQuery(list);
    const inPlace = performance.now() - start;
    assert.ok(longest < inPlace / 3, `${longest} ms of ${inPlace} ms`);
  });

  test('refuses what nests too deeply, and classifies the next text', async () => {
    const nested = `SELECT ${Array(100_000).fill('1').join('+')}`;
    const [deep] = await classifyApart(Buffer.from(nested));
    assert.is(deep?.verdict.kind, 'refuse');
    const [next] = await classifyApart(long('SELECT 1'));
    assert.is(next?.verdict.kind, 'read');
  });

  test('is made anew when it has ended over a text, which is not tried again', async () => {
    const thread = new ParseThread(program, limits);
    const first = thread.run(question('end'), 1).catch(({ code }) => code);
    const second = thread.run(question('next'), 1);
    assert.equal([await first, await second], ['internal', 'next']);
  });

  test('ends over a text that takes too long', async () => {
    const thread = new ParseThread(program, { ...limits, ms: 500 });
    const first = thread.run(question('for ever'), 1).catch(({ sqlstate }) => sqlstate);
    assert.is(await first, '54001');
    const patient = new ParseThread(program, limits);
    assert.is(await patient.run(question('next'), 1), 'next');
  });

  test('refuses more than may wait', async () => {
    const thread = new ParseThread(program, limits);
    const fitting = [600, 400].map((bytes) => thread.run(question('fits'), bytes));
    const full = await thread.run(question('full'), 1).catch(({ sqlstate }) => sqlstate);
    assert.is(full, '53200');
    assert.equal(await Promise.all(fitting), ['fits', 'fits']);
    assert.is(await thread.run(question('fits again'), 1000), 'fits again');
  });

  test('drops what nobody waits for, also what it is at', async () => {
    const thread = new ParseThread(program, limits);
    const [running, waiting] = [new AbortController(), new AbortController()];
    const settled: string[] = [];
    const note = () => settled.push('dropped');
    thread.run(question('for ever'), 500, running.signal).then(note, note);
    thread.run(question('for ever'), 500, waiting.signal).then(note, note);
    waiting.abort();
    running.abort();
    assert.is(await thread.run(question('next'), 1000), 'next');
    assert.equal(settled, []);
  });

  test('lets short texts go before long ones that came a moment ago', async () => {
    const thread = new ParseThread(program, { ...limits, waitingBytes: 1e9 });
    const order: unknown[] = [];
    const asked = [
      ['first', 1],
      ['long', 1e8],
      ['short', 1],
    ] as const;
    const runs = asked.map(([task, bytes]) => thread.run(question(task), bytes));
    for (const run of runs) run.then((task) => order.push(task)).catch(() => undefined);
    await Promise.all(runs);
    assert.equal(order, ['first', 'short', 'long']);
  });
});

async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SqlSyntaxError)) throw error;
    const { message, position, sqlstate } = error;
    return { message, position, sqlstate };
  }
}

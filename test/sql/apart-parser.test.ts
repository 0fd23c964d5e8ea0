/** Long texts are classified in a thread of their own, as any text is. */
import { createApartParser } from '../../src/sql/classify/apart-parser.ts';
import { parseQuery } from '../../src/sql/classify/parse-query.ts';
import { loadParser } from '../../src/sql/parser/parser.ts';
import { SqlSyntaxError } from '../../src/sql/parser/syntax-error.ts';
import { assert, suite } from '../helpers/suite.ts';
import { ormStatements, reads, writes } from './corpus.ts';

const length = 64 * 1024;
/** Spaces in front: places in the text count, too. */
const long = (text: string) => Buffer.from(text.padStart(length));

suite('sql: long texts', (test) => {
  test.before(loadParser);

  test('are taken by their length, as long as there is room', async () => {
    const parser = createApartParser();
    assert.not(parser.takes(Buffer.from('SELECT 1')));
    assert.ok(parser.takes(long('SELECT 1')));
    const many = Array.from({ length: 4 }, () => parser.parse(Buffer.alloc(16_000_000, ' ')));
    assert.not(parser.takes(Buffer.alloc(4_000_000)));
    await Promise.all(many);
    assert.ok(parser.takes(Buffer.alloc(4_000_000)));
  });

  test('get the verdicts that they get in place', async () => {
    const parser = createApartParser();
    for (const text of [...reads, ...writes, ...ormStatements, 'SELECT FROM FROM']) {
      const sent = long(text);
      assert.equal(
        await outcome(() => parser.parse(sent)),
        await outcome(() => parseQuery(sent)),
        text,
      );
    }
  });

  test('are refused by their limits', async () => {
    const [statement] = await createApartParser(40_000).parse(long('SELECT 1'));
    assert.is(statement?.verdict.kind, 'refuse');
  });

  test('leave the thread free that asks', async () => {
    const list = Buffer.from(`SELECT 1 IN (${Array(200_000).fill('1').join()})`);
    const parser = createApartParser();
    // starts the thread
    await parser.parse(long('SELECT 1'));
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const [statement] = await parser.parse(list);
    clearInterval(timer);
    assert.is(statement?.verdict.kind, 'read');
    const start = performance.now();
    parseQuery(list);
    const inPlace = performance.now() - start;
    assert.ok(longest < inPlace / 3, `${longest} ms of ${inPlace} ms`);
  });

  test('that a thread ends over are not tried again, and the next one gets a new thread', async () => {
    const dying = new URL(
      `data:text/javascript,import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ text }) => {
        if (text.length > 100000) process.exit(1);
        parentPort.postMessage({ classified: [] });
      });`,
    );
    const parser = createApartParser(undefined, dying);
    const first = parser
      .parse(Buffer.alloc(200_000))
      .catch((error: { code: string }) => error.code);
    const second = parser.parse(Buffer.alloc(50_000));
    assert.is(await first, 'internal');
    assert.equal(await second, []);
  });

  test('that nest too deeply are refused, and the next one is classified', async () => {
    const parser = createApartParser();
    const nested = `SELECT ${Array(100_000).fill('1').join('+')}`;
    const [deep] = await parser.parse(Buffer.from(nested));
    assert.is(deep?.verdict.kind, 'refuse');
    const [next] = await parser.parse(long('SELECT 1'));
    assert.is(next?.verdict.kind, 'read');
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

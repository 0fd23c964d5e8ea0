/** The parser recovers from texts that overflow it, and never classifies one of these as a read. */

import { parseQuery } from '../../src/sql/classify/parse-query.ts';
import {
  allowHeavyTexts,
  loadParser,
  ParserFailure,
  parseTree,
} from '../../src/sql/parser/parser.ts';
import { SqlSyntaxError } from '../../src/sql/parser/syntax-error.ts';
import { assert, suite } from '../helpers/suite.ts';
import { summaryOf, verdictOf } from './verdict-summary.ts';

/** Texts that grow with n, all valid SQL. */
const shapes: Readonly<Record<string, (n: number) => string>> = {
  sum: (n) => `SELECT ${'1+'.repeat(n)}1`,
  parentheses: (n) => `SELECT ${'('.repeat(n)}1${')'.repeat(n)}`,
  'sub-selects': (n) => `SELECT ${'(SELECT '.repeat(n)}1${')'.repeat(n)}`,
  'WITH queries': (n) => `${'WITH a AS ('.repeat(n)}DELETE FROM t${') SELECT 1'.repeat(n)}`,
  CASE: (n) => `SELECT ${'CASE WHEN true THEN '.repeat(n)}1${' END'.repeat(n)}`,
  unions: (n) => `SELECT 1${' UNION ALL SELECT 1'.repeat(n)}`,
  joins: (n) => `SELECT 1 FROM a${' JOIN a ON true'.repeat(n)}`,
  'nested joins': (n) => `SELECT 1 FROM ${'('.repeat(n)}a${' JOIN a ON true)'.repeat(n)}`,
  NOT: (n) => `SELECT ${'NOT '.repeat(n)}true`,
  casts: (n) => `SELECT 1${'::int'.repeat(n)}`,
  subscripts: (n) => `SELECT ${'a['.repeat(n)}1${']'.repeat(n)}`,
  comments: (n) => `SELECT ${'/*'.repeat(n)}${'*/'.repeat(n)} 1`,
};

suite('sql: parser', (test) => {
  test.before(() => {
    allowHeavyTexts();
    return loadParser();
  });

  test('is loaded once for many callers', async () => {
    await Promise.all([loadParser(), loadParser(), loadParser()]);
    assert.ok(parseTree(Buffer.from('SELECT 1')).stmts);
  });

  for (const [name, shape] of Object.entries(shapes)) {
    for (const depth of name === 'sum' || name === 'parentheses' ? [10_000, 20_000] : [10_000]) {
      test(`${depth} ${name}: classified or refused, and the next statement is classified`, async () => {
        const outcome = outcomeOf(shape(depth));
        const safe = name === 'WITH queries' ? ['write'] : ['read'];
        assert.ok([...safe, 'refuse 54001', 'memory exhausted'].includes(outcome), outcome);
        assertWorking();
        await Promise.resolve();
        assertWorking();
      });
    }
  }

  test('survives forty overflows, always two in a row', async () => {
    const text = Buffer.from(shapes['sum']?.(20_000) ?? '');
    for (let round = 0; round < 20; round += 1) {
      for (let time = 0; time < 2; time += 1) {
        const [statement] = parseQuery(text);
        assert.is(statement && summaryOf(statement.verdict), 'refuse 54001');
      }
      // Both instances are lost now. New ones are created between two turns of the event loop.
      await new Promise(setImmediate);
      assertWorking();
    }
  });

  test('fails closed while no instance is ready, and recovers by itself', async () => {
    const text = Buffer.from(shapes['sum']?.(20_000) ?? '');
    for (let time = 0; time < 3; time += 1) assert.throws(() => parseTree(text), isFailure);
    assert.is(summaryOf(verdictOf('SELECT 1')), 'refuse 54001');
    await loadParser();
    assertWorking();
  });

  test('classifies moderate nesting', () => {
    assert.is(summaryOf(verdictOf(shapes['sum']?.(1_000) ?? '')), 'read');
    assert.is(summaryOf(verdictOf(shapes['sub-selects']?.(200) ?? '')), 'read');
    assert.is(summaryOf(verdictOf(shapes['WITH queries']?.(200) ?? '')), 'write');
    assert.is(summaryOf(verdictOf(shapes['unions']?.(1_000) ?? '')), 'read');
  });

  test('classifies wide statements', () => {
    const numbers = Array.from({ length: 100_000 }, (_, index) => index);
    assert.is(summaryOf(verdictOf(`SELECT * FROM t WHERE id IN (${numbers.join()})`)), 'read');
    assert.is(
      summaryOf(verdictOf(`INSERT INTO t VALUES ${numbers.map((n) => `(${n})`).join()}`)),
      'write',
    );
    assert.is(parseQuery(Buffer.from('SELECT 1;'.repeat(20_000))).length, 20_000);
  });
});

function isFailure(error: unknown): boolean {
  return error instanceof ParserFailure;
}

function outcomeOf(sql: string): string {
  try {
    return summaryOf(verdictOf(sql));
  } catch (error) {
    if (error instanceof SqlSyntaxError) return error.message.slice(0, 'memory exhausted'.length);
    throw error;
  }
}

function assertWorking(): void {
  assert.is(summaryOf(verdictOf('SELECT id FROM t WHERE id = $1')), 'read');
  assert.is(summaryOf(verdictOf('UPDATE t SET a = $1 WHERE id = $2')), 'write');
  assert.throws(
    () => verdictOf('SELECT FROM WHERE'),
    (error: unknown) => error instanceof SqlSyntaxError,
  );
}

/** The cache returns what parsing returns, stays within its limits, and retains nothing of the client's packets. */

import { createVerdictCache } from '../../src/sql/classify/verdict-cache.ts';
import { loadParser } from '../../src/sql/parser/parser.ts';
import { SqlSyntaxError } from '../../src/sql/parser/syntax-error.ts';
import { assert, suite } from '../helpers/suite.ts';
import { summaryOf } from './verdict-summary.ts';

suite('sql: verdict cache', (test) => {
  test.before(loadParser);
  const sql = (n: number) => Buffer.from(`SELECT ${n}`);

  test('gives the same statements for the same text', () => {
    const cache = createVerdictCache(10);
    const first = cache.classify(Buffer.from('SELECT 1; DELETE FROM t'));
    assert.equal(
      first.map(({ verdict }) => summaryOf(verdict)),
      ['read', 'write'],
    );
    assert.is(cache.classify(Buffer.from('SELECT 1; DELETE FROM t')), first);
  });

  test('tells texts apart by their bytes', () => {
    const cache = createVerdictCache(10);
    const names = ['é', 'Ã©', 'e\u0301'].map((name) => {
      const [statement] = cache.classify(Buffer.from(`SELECT * FROM "${name}"`));
      return statement?.verdict.kind === 'read' ? statement.verdict.relations[0]?.name : null;
    });
    assert.equal(names, ['é', 'Ã©', 'e\u0301']);
  });

  test('forgets what was not used for long, and keeps what is used', () => {
    const cache = createVerdictCache(10);
    const used = cache.classify(sql(0));
    const unused = cache.classify(sql(1));
    for (let n = 2; n < 40; n += 1) {
      cache.classify(sql(n));
      assert.is(cache.classify(sql(0)), used);
    }
    assert.is.not(cache.classify(sql(1)), unused);
  });

  test('is bounded by bytes, too', () => {
    const cache = createVerdictCache(1_000, { maxTotalBytes: 200 });
    const first = cache.classify(sql(0));
    assert.is(cache.classify(sql(0)), first);
    for (let n = 1; n < 40; n += 1) cache.classify(sql(n));
    assert.is.not(cache.classify(sql(0)), first);
  });

  test('does not keep long texts, refusals and errors', () => {
    const cache = createVerdictCache(10, { maxTextBytes: 20 });
    const long = Buffer.from(`SELECT ${'1'.repeat(20)}`);
    assert.is.not(cache.classify(long), cache.classify(long));
    const refused = Buffer.from('VACUUM');
    assert.is.not(cache.classify(refused), cache.classify(refused));
    for (let time = 0; time < 2; time += 1) {
      assert.throws(
        () => cache.classify(Buffer.from('SELEC')),
        (error: unknown) => error instanceof SqlSyntaxError,
      );
    }
  });

  test('can be turned off', () => {
    const cache = createVerdictCache(0);
    assert.is.not(cache.classify(sql(0)), cache.classify(sql(0)));
  });

  test('refuses statements beyond the limit', () => {
    const [statement] = createVerdictCache(10, { maxStatementBytes: 5 }).classify(sql(0));
    assert.is(statement && summaryOf(statement.verdict), 'refuse 54000');
  });

  test('is not changed by what becomes of the packet', () => {
    const cache = createVerdictCache(10);
    const packet = Buffer.from('Q....SELECT * FROM t');
    const text = packet.subarray(5);
    cache.classify(text);
    packet.fill(0);
    assert.is(
      cache.classify(Buffer.from('SELECT * FROM t'))[0]?.text.toString(),
      'SELECT * FROM t',
    );
  });
});

/** Which statements are reads and which are writes. */
import { loadParser } from '../../src/sql/parser/parser.ts';
import { assert, suite } from '../helpers/suite.ts';
import { ormStatements, reads, writes } from './corpus.ts';
import { summaryOf, verdictOf } from './verdict-summary.ts';

suite('sql: reads and writes', (test) => {
  test.before(loadParser);
  for (const sql of reads) {
    test(`read: ${sql}`, () => assert.is(summaryOf(verdictOf(sql)), 'read'));
  }
  for (const sql of writes) {
    test(`write: ${sql}`, () => assert.is(summaryOf(verdictOf(sql)), 'write'));
  }
  for (const sql of ormStatements) {
    test(`not refused: ${sql}`, () =>
      assert.ok(['read', 'write', 'declare'].includes(summaryOf(verdictOf(sql)))));
  }
});

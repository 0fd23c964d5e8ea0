/** Which writes may be staged as a set, by their grammar. */
import { loadParser } from '../../src/sql/parser/parser.ts';
import { assert, suite } from '../helpers/suite.ts';
import { onlyStatement, queryIn } from './verdict-summary.ts';

const writeOf = (sql: string) => {
  const query = queryIn(onlyStatement(sql).verdict);
  if (query.kind !== 'write') throw new Error(`not a write: ${sql}`);
  return query;
};

const manyRows = Array.from({ length: 50 }, () => '(1)').join(', ');
const insertedAsSet: Record<string, boolean> = {
  'INSERT INTO t SELECT a FROM u': true,
  'INSERT INTO t TABLE u': true,
  'INSERT INTO t SELECT 1 UNION ALL SELECT a FROM u': true,
  [`INSERT INTO t VALUES ${manyRows}`]: true,
  [`INSERT INTO t VALUES ${manyRows}, (DEFAULT)`]: false,
  'INSERT INTO t VALUES (1), (2)': false,
  'INSERT INTO t SELECT 1': false,
  'INSERT INTO t SELECT a FROM u RETURNING a': false,
  'INSERT INTO t SELECT a FROM u ON CONFLICT DO NOTHING': false,
  "INSERT INTO t SELECT nextval('s') FROM u": false,
  'WITH x AS (DELETE FROM u) INSERT INTO t SELECT a FROM u': false,
  'UPDATE t SET a = 1': false,
};

/** Columns that are compared with one value; null if the statement changes row by row. */
const changed: Record<string, readonly string[] | null> = {
  'UPDATE t SET a = 1': [],
  'DELETE FROM t': [],
  'UPDATE t SET a = 1 WHERE id = 5': ['id'],
  'UPDATE t SET a = 1 WHERE $1 = t.id AND (b = 2 AND c > 3)': ['id', 'b'],
  'DELETE FROM t WHERE id = 5::int AND b = lower($1)': ['id', 'b'],
  'UPDATE t SET a = 1 WHERE id = 5 OR b = 1': [],
  'UPDATE t SET a = 1 WHERE NOT id = 5': [],
  'UPDATE t SET a = 1 WHERE id IN (5) AND b <> 3 AND c = ANY ($1)': [],
  'UPDATE t SET a = 1 FROM u WHERE id = 5': [],
  'DELETE FROM t USING u WHERE t.id = 5': [],
  'WITH x AS (SELECT 1) UPDATE t SET a = 1 WHERE b IN (TABLE x)': [],
  'UPDATE t SET (a, b) = (1, 2)': null,
  'UPDATE t SET a = DEFAULT': null,
  'UPDATE t SET a = 1 RETURNING a': null,
  'DELETE FROM t RETURNING a': null,
  "UPDATE t SET a = nextval('s')": null,
  'WITH x AS (DELETE FROM u) UPDATE t SET a = 1': null,
  'INSERT INTO t SELECT a FROM u': null,
};

suite('sql: writes of many rows', (test) => {
  test.before(loadParser);

  for (const [sql, isSet] of Object.entries(insertedAsSet)) {
    test(`${isSet ? 'many' : 'few'}: ${sql.slice(0, 60)}`, () => {
      const { inserts, relations } = writeOf(sql);
      const target = relations.find((each) => each.target !== null)?.start;
      assert.is(inserts, isSet ? target : null);
    });
  }

  for (const [sql, fixed] of Object.entries(changed)) {
    test(`${fixed === null ? 'row by row' : `by ${fixed.join(', ') || 'anything'}`}: ${sql}`, () => {
      const { changes, relations } = writeOf(sql);
      const target = relations.find((each) => each.target !== null)?.start;
      assert.equal(changes, fixed && { target, isNamed: false, fixed });
    });
  }

  test('an alias is told', () => {
    assert.is(writeOf('UPDATE t AS x SET a = 1').changes?.isNamed, true);
    assert.is(writeOf('DELETE FROM t x').changes?.isNamed, true);
  });
});

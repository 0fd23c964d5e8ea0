/** MERGE: the places of its parts, verified with the parse tree. */
import { loadParser } from '../../src/sql/parser/parser.ts';
import { assert, suite } from '../helpers/suite.ts';
import { onlyStatement, queryIn, relationsOf } from './verdict-summary.ts';

function partsOf(sql: string): (string | null)[] | null {
  const query = queryIn(onlyStatement(sql).verdict);
  if (query.kind !== 'write') throw new Error(`not a write: ${sql}`);
  const parts = query.merges[0]?.parts ?? null;
  const { ctes, target, source, condition } = parts ?? {};
  return parts && [ctes, target, source, condition].map((part) => part?.text.toString() ?? null);
}

const merges: Record<string, (string | null)[] | null> = {
  'MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE': [null, 't', 's', 't.a = s.a'],
  'merge /* into */ into only a.t as x using (select 1 on_) s on(x.a = s.a) when matched then do nothing':
    [null, 'only a.t as x', '(select 1 on_) s', '(x.a = s.a)'],
  'MERGE INTO t USING a JOIN b ON a.x = b.x JOIN c ON true ON CASE WHEN matched THEN a.x END = t.x -- c\n WHEN NOT MATCHED THEN INSERT DEFAULT VALUES':
    [null, 't', 'a JOIN b ON a.x = b.x JOIN c ON true', 'CASE WHEN matched THEN a.x END = t.x'],
  'WITH w AS (SELECT 1) MERGE INTO t USING w ON t.a IN (1, 2) WHEN MATCHED THEN DELETE': [
    'WITH w AS (SELECT 1) ',
    't',
    'w',
    't.a IN (1, 2)',
  ],
  'PREPARE p (int) AS WITH w AS (SELECT 1) MERGE INTO t USING w ON t.a = $1 WHEN MATCHED THEN DELETE':
    ['WITH w AS (SELECT 1) ', 't', 'w', 't.a = $1'],
  'MERGE INTO t USING s ON t.case = s.when WHEN MATCHED THEN DELETE': [
    null,
    't',
    's',
    't.case = s.when',
  ],
};

suite('MERGE statements', (test) => {
  test.before(loadParser);

  for (const [sql, parts] of Object.entries(merges)) {
    test(sql, () => assert.equal(partsOf(sql), parts));
  }

  test('relations of the target, the source and the actions', () => {
    const sql =
      'MERGE INTO t USING a.s ON t.a = s.a WHEN MATCHED AND EXISTS (SELECT FROM u) THEN UPDATE SET a = (SELECT 1 FROM v) WHEN NOT MATCHED THEN INSERT VALUES ((SELECT 2 FROM w))';
    assert.equal(relationsOf(sql), ['MERGE t=t', 'a.s=a.s', 'u=u', 'v=v', 'w=w']);
  });

  test('functions and samples that decide what matches', () => {
    const query = queryIn(
      onlyStatement(
        'MERGE INTO t USING (SELECT s.f(), g() LIMIT 1) s ON h() WHEN MATCHED THEN UPDATE SET a = i()',
      ).verdict,
    );
    const merge = query.kind === 'write' ? query.merges[0] : undefined;
    const names = merge?.functions.map(({ schema, name }) => `${schema}.${name}`).sort();
    assert.equal([names, merge?.samples], [['null.g', 'null.h', 's.f'], true]);
  });
});

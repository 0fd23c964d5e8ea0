/** Keys of rows, and texts of audit entries, equal the output of PostgreSQL's own functions for any value. */
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const keys: Readonly<Record<string, readonly string[]>> = {
  int2: ['-32768', '0', '32767'],
  int4: ['-2147483648', '0', '2147483647'],
  int8: [
    '-9223372036854775808',
    '-9007199254740993',
    '-9007199254740992',
    '-1',
    '9007199254740992',
    '9007199254740993',
    '9223372036854775807',
  ],
  text: ['', '1', 'a"b', 'back\\slash', 'ü\t\u0001'],
  'varchar(9)': ['', '1', "it''s"],
  'char(4)': ['1', 'ab'],
  uuid: ['00000000-0000-0000-0000-00000000000A'],
  numeric: ['1', '1.10', '9007199254740993'],
  date: ['2026-01-01', 'infinity'],
  counted: ['7', '9007199254740993'],
};

const tables = Object.keys(keys).map(
  (type, index) =>
    `CREATE TABLE t${index} (id ${type} PRIMARY KEY); CREATE TABLE p${index} (id ${type}, n int8, PRIMARY KEY (n, id));`,
);

suite('keys of rows', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(`CREATE DOMAIN counted AS int8; ${tables.join('\n')}`);
  });
  test.after(() => staging.close());

  test('are of the form that any value takes', async () => {
    const session = await staging.open();
    const expected: unknown[][] = [];
    for (const [index, [type, values]] of Object.entries(keys).entries()) {
      for (const value of values) {
        await staging.stage(
          session,
          `INSERT INTO t${index} VALUES ('${value}'); INSERT INTO p${index} VALUES ('${value}', 3)`,
        );
        const [row] = await staging.database.query<{ key: unknown; pair: unknown }>(
          `SELECT k.key, jsonb_build_object('id', k.key, 'n', 3) AS pair FROM stage.key_value('${value}'::${type}) k (key)`,
        );
        expected.push([`t${index}`, row?.key], [`p${index}`, row?.pair]);
      }
    }
    const { changes } = await diffOf(staging.service, session);
    const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
    assert.equal(sorted(changes.map(({ table, rowId }) => [table, rowId])), sorted(expected));
  });

  test('stand in texts of audit entries as in an array of jsonb', async () => {
    const texts = [`a"b\\c/d`, 'tab\tline\nbell\u0007del\u007fü😀\u2028', ''];
    for (const text of texts) {
      const json = JSON.stringify({ [text]: [text, 1.1, null, true, { z: 1, aa: 2 }] });
      for (const [old, now, by, more] of [
        [json, json, text, json],
        [null, '1.10', null, null],
        ['null', null, text, null],
      ]) {
        const [row] = await staging.database.query<{ ours: string; theirs: string }>(
          `SELECT stage.audit_text(7, s, t, 4294967295, t, -8, 9, 'UPDATE', t, k, o, n, '2026-01-02 03:04:05.678901+02', b, m) AS ours,
            (jsonb_build_array(CASE WHEN m IS NULL THEN 'stage.audit.v1' ELSE 'stage.audit.v2' END, 7, s, t, 4294967295, t, -8, 9, 'UPDATE',
              t, k, o, n, '2026-01-02T01:04:05.678901Z', b) || CASE WHEN m IS NULL THEN '[]' ELSE jsonb_build_array(m) END)::text AS theirs
           FROM (SELECT gen_random_uuid() AS s, $1::text AS t, $2::jsonb AS k, $3::jsonb AS o, $4::jsonb AS n, $5::text AS b, $6::jsonb AS m) x`,
          [text, json, old, now, by, more],
        );
        assert.is(row?.ours, row?.theirs);
      }
    }
  });
});

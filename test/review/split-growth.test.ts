/** The work of finding ties grows with the rows, not with their square: plans of the functions, with the numbers of rows that they passed. */
import pg from 'pg';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const rows = 1_000;
/** Rows that are passed for each staged row: there are some dozen nodes, each with both kinds of rows. */
const mostPassed = 100 * rows;

const schema = `
CREATE TABLE slot (id int PRIMARY KEY, during int4range, EXCLUDE USING gist (during WITH &&));
CREATE TABLE code (id int PRIMARY KEY, a int, b int, UNIQUE NULLS NOT DISTINCT (a, b));
CREATE TABLE alone (id int PRIMARY KEY, a int UNIQUE);`;

const inserts = {
  slot: `INSERT INTO slot SELECT n, int4range(n * 10, n * 10 + 5) FROM generate_series(1, ${rows}) n`,
  code: `INSERT INTO code SELECT n, n, NULL FROM generate_series(1, ${rows}) n`,
};

const production = `INSERT INTO slot SELECT -n, int4range(-n * 10, -n * 10 + 5) FROM generate_series(1, ${rows}) n`;

interface Plan {
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Plan[];
}

function passed(plan: Plan): number {
  const { 'Actual Rows': out = 0, 'Actual Loops': loops = 0, Plans: below = [] } = plan;
  const compared = out + (plan['Rows Removed by Join Filter'] ?? 0);
  return below.reduce((sum, each) => sum + passed(each), compared * loops);
}

suite('growth of ties', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, production);
  });
  test.after(() => staging.close());

  const oidOf = async (table: string) =>
    (await staging.database.query(`SELECT '${table}'::regclass::oid AS oid`))[0]?.['oid'];

  /** Returns the ties of half of a table's staged rows, the plans of all statements that find them, and the rows that these passed. */
  async function tiesOf(session: string, table: string) {
    const client = new pg.Client({ connectionString: staging.database.url });
    await client.connect();
    const plans: string[] = [];
    client.on('notice', ({ message = '' }) => plans.push(message.slice(message.indexOf('{'))));
    const oid = await oidOf(table);
    const found = await staging.database.query(
      `SELECT s._stage_seq AS root FROM stage_data.shadow_${oid} s
       WHERE s._stage_session = '${session.slice(5)}' AND s._stage_root IS NULL AND s._stage_origin <> 'overlay' AND abs(s.id) <= ${rows / 2}`,
    );
    const roots = found.map(({ root }) => root);
    assert.is(roots.length, rows / 2);
    try {
      await client.query(
        `LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on; SET auto_explain.log_timing = off;
         SET auto_explain.log_nested_statements = on; SET auto_explain.log_format = json; SET auto_explain.log_level = notice`,
      );
      const { rows: ties } = await client.query(
        'SELECT * FROM stage.tied_lineages($1, $2, $3::bigint[])',
        [session.slice(5), roots.map(() => oid), roots],
      );
      const counted = plans
        .filter((text) => text.startsWith('{'))
        .map((text) => passed((JSON.parse(text) as { Plan: Plan }).Plan));
      assert.ok(counted.length > 5);
      return { ties, plans, most: Math.max(...counted) };
    } finally {
      await client.end();
    }
  }

  const cases: readonly (readonly [string, 'slot' | 'code', string])[] = [
    ['new rows under an exclusion constraint', 'slot', inserts.slot],
    [
      'changed rows under an exclusion constraint',
      'slot',
      'UPDATE slot SET during = during WHERE id < 0',
    ],
    [
      'rows that moved values under NULLS NOT DISTINCT',
      'code',
      `${inserts.code}; UPDATE code SET a = a + ${rows * 2} WHERE id > 0`,
    ],
  ];
  for (const [name, table, statements] of cases) {
    test(`is linear for ${name}`, async () => {
      const session = await staging.open();
      await staging.stage(session, `${statements}; INSERT INTO alone VALUES (1, 1)`);
      const { ties, plans, most } = await tiesOf(session, table);
      assert.is(ties.length, 0);
      assert.ok(most < mostPassed, `${most} rows`);
      // no foreign key leads there
      assert.not.match(plans.join('\n'), new RegExp(`(dependents|shared)_${await oidOf('alone')}`));
      await staging.reset();
    });
  }
});

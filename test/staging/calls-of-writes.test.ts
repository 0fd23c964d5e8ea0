/**
 * The functions that a staged write of one row runs. Each of them costs time in every write, and a condition that PostgreSQL does not stop
 * at, such as NULL AND costly(), changes no result: only this list shows it.
 */
import type pg from 'pg';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE customer (id int PRIMARY KEY);
CREATE TABLE invoice (id int PRIMARY KEY, customer int REFERENCES customer, amount int CHECK (amount > 0), code text UNIQUE);`;
const data = `INSERT INTO customer VALUES (1), (2); INSERT INTO invoice SELECT g, 1, 1, g FROM generate_series(1, 9) g`;

const always = [
  'after',
  'before_statement',
  'begin_statement',
  'catalog_writes',
  'demand_rights',
  'fits',
  'has_rights',
  'is_current',
  'refuse_written_outside',
  'seems_empty',
  'stamp',
];

suite('functions of a staged write', (test) => {
  let staging: StagingDatabase;
  let client: pg.Client;
  let oid: number;
  /** The call that begins a statement on the table. */
  let begin: string;

  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
    client = await staging.connect(await staging.open());
    await client.query(`SET track_functions = 'all'`);
    const [table] = await staging.database.query<{ oid: number; signature: string; at: string }>(
      `SELECT relation::int AS oid, signature, 'stage_overlay_' || relnamespace AS at FROM stage.overlay
       JOIN pg_class ON oid = relation WHERE relation = 'public.invoice'::regclass`,
    );
    oid = table?.oid ?? 0;
    const relation = { schema: 'public', name: 'invoice', oid, signature: table?.signature };
    begin = `SELECT stage.begin_statement('', '[]', '${JSON.stringify([{ ...relation, rights: [] }])}', '{}',
      current_setting('search_path'), ARRAY[${table?.at}.stamp_${oid}()])`;
  });
  test.after(async () => {
    await client.end();
    await staging.close();
  });

  /** Stages a statement, and returns the functions that it has run beside those that every write runs. */
  async function called(text: string): Promise<string[]> {
    // the counters of earlier transactions are reported with delay
    const flush = 'SELECT pg_stat_force_next_flush()';
    for (const each of [flush, 'BEGIN', begin, text, 'SELECT stage.refuse_written_outside()'])
      await client.query(each);
    const { rows } = await client.query<{ name: string }>(
      `SELECT DISTINCT regexp_replace(funcname, '_([a-z]+_)?${oid}$', '') AS name FROM pg_stat_xact_user_functions
       WHERE schemaname ~ '^stage' AND funcname NOT IN ('open_session', 'own_session', 'is_live') ORDER BY 1`,
    );
    await client.query('COMMIT');
    const names = rows.map(({ name }) => name);
    assert.equal(
      always.filter((name) => !names.includes(name)),
      [],
      text,
    );
    return names.filter((name) => !always.includes(name));
  }

  test('are no more than it needs', async () => {
    const insert = (id: number) => `INSERT INTO invoice VALUES (${id}, 1, 1, 'code ${id}')`;
    const update = (id: number) => `UPDATE invoice SET amount = amount + 1 WHERE id = ${id}`;
    // the first statement of a session or a connection may run more
    await called(insert(100));
    assert.equal(await called(insert(101)), ['check', 'insert', 'lock_key', 'run_queue']);
    assert.equal(await called(update(1)), ['check', 'run_queue', 'update']);
    assert.equal(await called(update(101)), ['check', 'run_queue', 'touched', 'update']);
    assert.equal(await called('DELETE FROM invoice WHERE id = 2'), ['delete']);
  });
});

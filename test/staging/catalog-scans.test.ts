/** What is asked about one table is found by indexes: a database may have thousands of tables, and no catalog is read whole for one. */
import pg from 'pg';
import { createTestDatabase } from '../helpers/database.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('catalog scans', (test) => {
  let proxied: Proxied;

  test.before(async () => {
    proxied = await startProxied(`
      CREATE TABLE tenant (id int PRIMARY KEY);
      CREATE TABLE invoice (id int PRIMARY KEY, tenant int REFERENCES tenant, note text DEFAULT 'new', code text UNIQUE CHECK (code <> ''));
      CREATE INDEX ON invoice (note);
      DO $$ BEGIN
        FOR i IN 1..300 LOOP
          EXECUTE format('CREATE TABLE child_%s (id int PRIMARY KEY, tenant int REFERENCES tenant, name text UNIQUE CHECK (name <> %L))', i, '');
        END LOOP;
      END $$`);
    await proxied.database.query('VACUUM ANALYZE');
  });
  test.after(() => proxied.stop());

  /** Returns how many rows a call reads by sequential scans of each catalog. Small catalogs are best read in that way. */
  async function readWhole(call: string): Promise<Record<string, number>> {
    // the counters are those that the connection has not reported yet
    const client = new pg.Client(proxied.database.url);
    await client.connect();
    try {
      const { rows } = await client.query(
        `WITH called AS MATERIALIZED (SELECT ${call} AS result)
         SELECT (SELECT coalesce(json_object_agg(c, pg_stat_get_xact_tuples_returned(c)), '{}') FROM unnest(ARRAY['pg_class', 'pg_attribute',
           'pg_constraint', 'pg_index', 'pg_operator', 'pg_proc', 'pg_type', 'pg_depend']::regclass[]) c
           WHERE called.result IS NOT NULL AND pg_stat_get_xact_tuples_returned(c) > 100) AS read
         FROM called`,
      );
      return rows[0].read;
    } finally {
      await client.end();
    }
  }

  const names = `'[{"schema": null, "name": "invoice", "target": "insert"}, {"schema": "public", "name": "tenant"}]'`;
  for (const call of [
    `stage.resolve_relations(${names})`,
    `stage.table_indexes('invoice'::regclass)`,
    `stage.definition_calls('invoice'::regclass)`,
    `stage.definition_stamp('tenant'::regclass)`,
    `stage.table_stamp('tenant'::regclass)`,
  ]) {
    test(`${call} reads no catalog whole`, async () => {
      assert.equal(await readWhole(call), {});
    });
  }

  test('operators of keys are looked up one by one, however many refer to a table', async () => {
    const { pg_constraint: keys, ...others } = await readWhole(
      `stage.foreign_keys('tenant'::regclass, 'parent')`,
    );
    assert.equal(others, {});
    const [row] = await proxied.database.query<{ all: number }>(
      'SELECT count(*)::int AS all FROM pg_constraint',
    );
    assert.is(keys, row?.all, 'there is no index for the keys that refer to a table');
  });

  test('the checks of domains are looked up for the types that a statement names', async () => {
    // a small catalog, which the planner would rather read whole
    const database = await createTestDatabase({ template: 'migrated-sample' });
    try {
      await database.query('VACUUM ANALYZE pg_catalog.pg_constraint');
      const [row] = await database.query<{ read: number; all: number }>(
        `WITH called AS MATERIALIZED (SELECT count(*) AS found FROM stage.find_code('[{"kind": "type", "schema": null, "name": "int4"}]'))
         SELECT pg_stat_get_xact_tuples_returned('pg_constraint_contypid_index'::regclass)::int AS read, (SELECT count(*)::int FROM pg_constraint) AS all
         FROM called WHERE found = 0`,
      );
      assert.ok(Number(row?.read) < 10 && Number(row?.all) > 200, JSON.stringify(row));
    } finally {
      await database.drop();
    }
  });
});

/** The cost of a list of sessions depends on its sessions, and not on what others have left behind. */
import type { SessionFilter } from '../../src/staging/session-store.ts';
import { listSessions } from '../../src/staging/session-store.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

/** Two neighbours in every index that begins with sessions: no rows of others lie between them. */
const [deleted, listed] = ['e', 'f'].map((end) => `${'f'.repeat(31)}${end}`);

suite('a list of sessions', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(
      'CREATE TABLE t (id int PRIMARY KEY)',
      'INSERT INTO t VALUES (1)',
    );
    await staging.service.query(`
      INSERT INTO stage.session (id, project_id, metadata, reads, conflict_scope, created_at)
      SELECT x::uuid, 'p', '{}', 'production', 'row', now() + interval '1 hour' * (x = '${listed}')::int
      FROM unnest(ARRAY['${deleted}', '${listed}']) x`);
  });
  test.after(() => staging.close());

  /** Returns the number of blocks that the server reads for the newest session that the filter matches. */
  async function blocks(filter: Partial<SessionFilter> = {}): Promise<number> {
    const queries: (readonly [string, readonly unknown[]])[] = [];
    const heard = {
      query: async (text: string, values: readonly unknown[]) => {
        queries.push([text, values]);
        return [];
      },
    };
    await listSessions(heard as never, { limit: 1, offset: 0, ...filter });
    const [text, values] = queries[0]!;
    const explained = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`;
    // a connection's first query reads the catalogs, too
    let least = Number.POSITIVE_INFINITY;
    for (let time = 0; time < 5; time += 1) {
      const [row] = await staging.service.query(explained, values as never);
      const [{ Plan: plan }] = JSON.parse(String(row?.['QUERY PLAN']));
      least = Math.min(least, plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
    }
    return least;
  }

  test('looks at nothing of the mutations of a deleted one', async () => {
    const before = await blocks();
    await staging.service.query(`
      INSERT INTO stage.mutation (id, session, statement, operation, relation, table_name, query, params, affected_rows)
      SELECT nextval('stage.seq'), '${deleted}', 1, 'INSERT', 1, 't', 'INSERT', '[]', 1 FROM generate_series(1, 20000)`);
    // deleted rows stay while a snapshot may see them
    const client = await staging.connect(await staging.open());
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM t');
    await staging.service.query(`DELETE FROM stage.mutation WHERE session = '${deleted}'`);
    const after = await blocks();
    await client.end();
    assert.ok(after < before + 50, `${before} blocks before, ${after} after`);
  });

  test('looks at one of its own mutations, whatever statistics say of them', async () => {
    const insert = `
      INSERT INTO stage.mutation (id, session, statement, operation, relation, table_name, query, params, affected_rows, role)`;
    const values = `1, 'INSERT', 1, 't', 'INSERT', '[]', 1, 'r'`;
    await staging.service.query(`
      ALTER TABLE stage.mutation SET (autovacuum_enabled = off);
      UPDATE stage.session SET mutation_count = 1, status = 'proposed', proposed_at = now(), sealed = 1, round = 1 WHERE id = '${listed}'`);
    // many sessions have logged few mutations, and then one logs many more
    await staging.service.query(`
      ${insert} SELECT nextval('stage.seq'), gen_random_uuid(), ${values} FROM generate_series(1, 3000)`);
    await staging.service.query('ANALYZE stage.mutation');
    const before = await blocks();
    await staging.service.query(`
      ${insert} SELECT nextval('stage.seq'), '${listed}', ${values} FROM generate_series(1, 20000)`);
    const after = await blocks();
    assert.ok(after < before + 50, `${before} blocks before, ${after} after`);
  });

  test('of one author looks at none of others; a search looks at the newest 10,000', async () => {
    await staging.service.query(`
      INSERT INTO stage.session (id, project_id, metadata, reads, conflict_scope, created_at, created_as)
      SELECT gen_random_uuid(), 'p', CASE n WHEN 10001 THEN '{"title": "needle"}' ELSE '{}' END::json, 'production', 'row',
        now() - interval '1 hour' * n, CASE n WHEN 10001 THEN 'ann' ELSE 'bob' END
      FROM generate_series(1, 10001) n`);
    await staging.service.query('ANALYZE stage.session');
    const found = await blocks({ author: 'ann' });
    assert.ok(found < 100, `${found} blocks`);
    const count = async (filter: Partial<SessionFilter>) =>
      (await listSessions(staging.service, { limit: 1, offset: 0, ...filter })).totalCount;
    assert.is(await count({ search: 'needle' }), 0);
    assert.is(await count({ search: 'NEEDLE', author: 'ann' }), 1);
  });
});

/** Differences from PostgreSQL that drivers and their test suites found. */
import pg from 'pg';
import { approveStories } from '../helpers/alike.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, p, q, runScript, s } from '../helpers/wire-script.ts';

const { schema, steps } = await readStories('proxy/found-with-drivers.sql');

const failure = (query: Promise<unknown>) =>
  query.then(
    () => null,
    (error: pg.DatabaseError) => error,
  );

suite('proxy: found with drivers', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  test('a parameter may have any number', async () => {
    const values = Array.from({ length: 10 }, () => '1');
    const script = [p('INSERT INTO t (a) VALUES ($65536::int)'), b(values), s, q('SELECT 1 AS x')];
    const staged = await runScript(await proxied.session(), script);
    assert.equal(staged, await runScript(proxied.twin.url, script));
  });

  test('the process id is that of the backend', async () => {
    const client = await proxied.connect(await proxied.session());
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    assert.is((client as unknown as { processID: number }).processID, rows[0].pid);
  });

  test('parameters have the types that columns have got since', async () => {
    for (const [index, [type, value]] of (
      [
        ['bigint', '3000000000'],
        ['numeric(12,2)', '3000000000.25'],
        ['text', 'words'],
      ] as const
    ).entries()) {
      for (const [table, text] of [
        [`put_${index}`, `INSERT INTO put_${index} (a) VALUES ($1) RETURNING a`],
        [`set_${index}`, `UPDATE set_${index} SET a = $1 RETURNING a`],
      ] as const) {
        await proxied.database.query(`CREATE TABLE ${table} (id serial PRIMARY KEY, a int)`);
        const client = await proxied.connect(await proxied.session('staged'));
        // with staged rows, a change of a type would be a conflict
        await client.query(`BEGIN; INSERT INTO ${table} (a) VALUES (1); ROLLBACK`);
        await proxied.database.query(`INSERT INTO ${table} (a) VALUES (1)`);
        await proxied.database.query(`ALTER TABLE ${table} ALTER a TYPE ${type}`);
        const { rows } = await client.query(text, [value]);
        assert.equal(rows, [{ a: value }], `${type}: ${text}`);
        await client.query('BEGIN');
        await client.query(text, [value]);
        await client.query('COMMIT');
      }
    }
  });
});

suite('proxy: a service account without rights on sequences', (test) => {
  test('is named where an identity column cannot be filled', async () => {
    const database = await createTestDatabase({ template: 'empty' });
    await database.query(schema);
    const service = await createRole(
      database,
      `GRANT CREATE ON DATABASE ${database.name} TO $role;
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO $role`,
    );
    const upstream = database.urlFor(service.name, service.name);
    const daemon = await startTestDaemon({ database, flags: { upstream } });
    const client = new pg.Client({ connectionString: daemon.clientUrl(await daemon.newSession()) });
    try {
      await client.connect();
      for (const table of ['numbered', 'drawn']) {
        const error = await failure(client.query(`INSERT INTO ${table} (v) VALUES ('x')`));
        assert.is(error?.code, '42501', error?.message);
        assert.match(error?.message ?? '', `permission denied for sequence ${table}_id_seq`);
        assert.match(error?.hint ?? '', /service account .*GRANT USAGE ON SEQUENCE/);
      }
      const warned = daemon.logged.map((line) => JSON.parse(line));
      const found = warned.find(({ check }) => check === 'service_lacks_sequences');
      assert.equal(found?.about.sort(), [
        'public."q\'o_id_seq"',
        'public.drawn_id_seq',
        'public.numbered_id_seq',
        'public.t_id_seq',
      ]);
      await database.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${service.name}`);
      await client.query("INSERT INTO numbered (v) VALUES ('x')");
    } finally {
      await client.end();
      await daemon.stop();
      await service.drop();
      await database.drop();
    }
  });
});

/** `stage doctor` as a separate process, on a correct setup and on one where everything is wrong. */
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase, serverMajor } from '../helpers/database.ts';
import { startLoginServer } from '../helpers/login-server.ts';
import type { Pooler } from '../helpers/pooler.ts';
import { startPooler } from '../helpers/pooler.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly about: readonly string[];
}

/** Checks whose result depends on the server of the tests. */
const ofServer = ['connections', 'connections_configured', 'server_durability', 'server_version'];

suite('stage doctor', (test) => {
  let shell: Shell;
  let database: TestDatabase;
  let service: TestRole;
  let client: TestRole;
  test.before(async () => {
    shell = await createShell();
    database = await createTestDatabase();
    service = await createRole(database, '');
    const printed = await shell.spawn([
      'doctor',
      '--upstream',
      database.url,
      '--print-service',
      service.name,
    ]);
    // the script can be repeated
    for (let time = 0; time < 2; time += 1) await database.query(printed.stdout);
    client = await createRole(database);
  });
  test.after(async () => {
    await shell.clear();
    await client.drop();
    await service.drop();
    await database.drop();
  });

  let ignored = '*.stock, products.price';

  const serviceUrl = () => database.urlFor(service.name, service.name);

  async function examine(url: string, ...args: string[]) {
    const { code, stdout, stderr } = await shell.spawn(
      ['doctor', '--json', '--upstream', url, ...args],
      { env: { STAGE_CONFLICT_IGNORE_COLUMNS: ignored } },
    );
    assert.is(stderr, '');
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
    assert.is(ok, code === 0);
    const own = findings.filter(({ check }) => !ofServer.includes(check));
    return { code, found: Object.fromEntries(own.map(({ check, about }) => [check, about])) };
  }

  test('finds nothing where the printed role is used, and that role can stage', async () => {
    const printed = await shell.spawn([
      'doctor',
      '--upstream',
      serviceUrl(),
      '--print-role',
      client.name,
    ]);
    assert.is(printed.code, 0);
    assert.match(printed.stdout, /NOSUPERUSER/);
    // the second time the role exists
    for (let time = 0; time < 2; time += 1) await database.query(printed.stdout);
    const daemon: TestDaemon = await startTestDaemon({
      database,
      flags: { upstream: serviceUrl() },
    });
    try {
      const session = await daemon.newSession();
      const url = daemon.clientUrl(session, client.name, client.name);
      const staged = new pg.Client({ connectionString: url });
      await staged.connect();
      await staged.query(`UPDATE products SET stock = 7 WHERE sku = 'MUG-01'`);
      const major = await serverMajor();
      const merge = `MERGE INTO products p USING (VALUES ('MUG-01')) v (sku) ON p.sku = v.sku WHEN MATCHED THEN UPDATE SET stock = 8`;
      const temporary = `TEMPORARY ON DATABASE ${database.name}`;
      await database.query(`REVOKE ${temporary} FROM ${service.name}`);
      const hint = await staged.query(merge).then(
        () => 'it needs none',
        (error: pg.DatabaseError) => error.hint ?? '',
      );
      const lacking = (await examine(serviceUrl())).found['service_lacks_temporary'];
      await database.query(`GRANT ${temporary} TO ${service.name}`);
      await staged.query(merge);
      await staged.end();
      assert.equal(lacking, major < 17 ? [database.name] : undefined);
      assert.match(
        hint,
        major < 17 ? /GRANT TEMPORARY .* to the service account/ : 'it needs none',
      );
      await daemon.call('POST', `/sessions/${session}/propose`);
      assert.is((await daemon.call('POST', `/sessions/${session}/approve`)).status, 200);
      const direct = await client.connect();
      const write = direct.query(`SET transaction_read_only = off; UPDATE products SET stock = 8`);
      assert.is((await rejects(write)).code, '42501');
      const warned = daemon.logged.map((line) => JSON.parse(line).check).filter(Boolean);
      assert.equal(
        warned.filter((check) => !ofServer.includes(check)),
        [],
      );
    } finally {
      await daemon.stop();
    }
    assert.equal(await examine(serviceUrl(), '--role', client.name), { code: 0, found: {} });
  });

  test('notes that statistics of statements fill up with those of the service', async () => {
    const track = (level: string) =>
      database.query(`ALTER ROLE ${service.name} SET pg_stat_statements.track = '${level}'`);
    await track('top');
    assert.equal((await examine(serviceUrl())).found['statement_statistics'], [service.name]);
    await track('none');
    assert.is((await examine(serviceUrl())).found['statement_statistics'], undefined);
    await database.query(`ALTER ROLE ${service.name} RESET pg_stat_statements.track`);
  });

  test('names columns that do not count and that no table has', async () => {
    const usual = ignored;
    ignored =
      'products.prise, product.price, elsewhere.products.price, *.stock, *.stok, elsewhere.*.stock';
    const { code, found } = await examine(serviceUrl());
    ignored = '*.stock, public.products.price, sales."Odd.one"."a ""b"""';
    await database.query(`CREATE SCHEMA sales CREATE TABLE "Odd.one" ("a ""b""" int)`);
    const after = (await examine(serviceUrl())).found;
    await database.query('DROP SCHEMA sales CASCADE');
    ignored = usual;
    assert.equal(found['ignored_columns_unknown'], [
      'products.prise',
      'product.price',
      'elsewhere.products.price',
      '*.stok',
      'elsewhere.*.stock',
    ]);
    assert.is(code, 0);
    assert.is(after['ignored_columns_unknown'], undefined);
  });

  test('names every danger of a bad setup, and ends with 1', async () => {
    const bad = await createTestDatabase();
    const role = await createRole(
      bad,
      `GRANT SELECT, INSERT ON products TO $role; GRANT UPDATE (name) ON customers TO $role; ALTER TABLE orders OWNER TO $role;
       GRANT CREATE ON SCHEMA public TO $role; ALTER ROLE $role REPLICATION BYPASSRLS;
       GRANT pg_read_server_files, pg_monitor, pg_write_all_data TO $role;
       GRANT EXECUTE ON FUNCTION pg_read_file(text) TO $role;
       CREATE FUNCTION raise_all() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'UPDATE products SET price = price + 1';
       CREATE SEQUENCE numbers; GRANT UPDATE ON SEQUENCE numbers TO $role;
       CREATE TABLE keyless (x int); CREATE TABLE protected (id int PRIMARY KEY); CREATE TABLE ruled (id int PRIMARY KEY);
       CREATE RULE nothing AS ON DELETE TO ruled DO INSTEAD NOTHING;
       CREATE PUBLICATION everything FOR ALL TABLES;
       CREATE FUNCTION look() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
       CREATE EVENT TRIGGER looking ON ddl_command_end EXECUTE FUNCTION look()`,
    );
    const daemon = await startTestDaemon({ database: bad, flags: { allowPublications: true } });
    try {
      await bad.query(
        `ALTER TABLE stage.audit DISABLE TRIGGER append_only; GRANT SELECT ON stage.session TO ${role.name}`,
      );
      const { code, found } = await examine(bad.url, '--role', role.name);
      assert.is(code, 1);
      const warned = daemon.logged.map((line) => JSON.parse(line).check).filter(Boolean);
      for (const check of ['service_superuser', 'publication'])
        assert.ok(warned.includes(check), check);
      const writes = found['client_writes'] ?? [];
      assert.ok(writes.includes('public.products') && writes.includes('public.customers'));
      assert.equal(found['client_owns'], ['public.orders', 'public.orders_id_seq']);
      assert.equal(found['client_attributes'], ['BYPASSRLS', 'REPLICATION']);
      assert.equal(found['client_powers'], ['pg_read_server_files', 'pg_write_all_data']);
      assert.ok(found['client_watches']?.includes('pg_monitor'));
      assert.equal(found['client_creates'], ['schema public']);
      assert.equal(found['client_definers'], ['public.raise_all()']);
      assert.ok(found['client_files']?.includes('pg_read_file(text)'));
      assert.ok(found['client_sequences']?.includes('public.numbers'));
      assert.ok(found['client_sees_staging']?.includes('stage.session'));
      assert.equal(found['client_temporary'], [`database ${bad.name}`]);
      assert.equal(found['audit_unguarded'], ['stage.audit']);
      assert.equal(found['publication'], ['everything']);
      assert.equal(found['event_trigger'], ['looking']);
      assert.ok(found['table_without_key']?.includes('public.keyless'));
      assert.ok(found['table_not_stageable']?.includes('public.ruled has rules'));
      assert.equal(found['service_superuser'], [bad.user]);
      assert.equal(found['path_open'], [`public to ${role.name}`]);

      const superuser = await examine(bad.url, '--role', bad.user);
      assert.is(superuser.code, 1);
      assert.equal(superuser.found['client_superuser'], [bad.user]);
      assert.is(superuser.found['client_writes'], undefined);

      await bad.query(`GRANT ${service.name} TO ${role.name}`);
      const weak = await examine(bad.urlFor(service.name, service.name), '--role', role.name);
      assert.is(weak.code, 1);
      assert.equal(weak.found['client_is_service'], [service.name]);
      assert.equal(weak.found['service_cannot_create'], [bad.name]);
      assert.ok(weak.found['service_not_owner']?.includes('stage'));
      assert.ok(weak.found['service_lacks_rights']?.includes('public.products'));
    } finally {
      await daemon.stop();
      await bad.query(
        'ALTER TABLE orders OWNER TO CURRENT_USER; DROP EVENT TRIGGER looking; DROP PUBLICATION everything',
      );
      await role.drop();
      await bad.drop();
    }
  });

  test('finds schemas of the search path in which anybody may create, as databases of PostgreSQL 14 have them', async () => {
    const old = await createTestDatabase();
    const danger = async () => (await examine(old.urlFor(service.name, service.name))).found;
    try {
      assert.is((await danger())['path_open'], undefined);
      await old.query(`GRANT CREATE ON SCHEMA public TO PUBLIC; CREATE SCHEMA "Odd one"; CREATE SCHEMA elsewhere;
        GRANT CREATE ON SCHEMA "Odd one", elsewhere TO ${client.name}`);
      assert.equal((await danger())['path_open'], ['public to PUBLIC']);
      await old.query(
        `ALTER ROLE ${service.name} IN DATABASE ${old.name} SET search_path = "Odd one", "$user"`,
      );
      assert.equal((await danger())['path_open'], [`Odd one to ${client.name}`]);
    } finally {
      await old.query(
        `DROP OWNED BY ${client.name}; ALTER ROLE ${service.name} IN DATABASE ${old.name} RESET ALL`,
      );
      await old.drop();
    }
  });

  test('finds a pooler in between', async () => {
    const pooler: Pooler = await startPooler(database.url);
    try {
      const url = new URL(database.url);
      url.hostname = '127.0.0.1';
      url.port = String(pooler.port);
      const { code, found } = await examine(url.href);
      assert.is(code, 1);
      assert.equal(found['pooler']?.slice(0, 2), ['backend', 'search_path']);
      for (const name of ['jit', 'statement_timeout', 'idle_in_transaction_session_timeout'])
        assert.ok(found['pooler']?.includes(name), name);
    } finally {
      await pooler.stop();
    }
  });

  test('suggests the Unix socket of a server on the same host, where it is not used', async () => {
    const server = await startLoginServer();
    try {
      const directory = /host=([^&]*)/.exec(server.socketUrl)?.[1] ?? '';
      const bySocket = `postgresql://postgres@${encodeURIComponent(directory)}:${server.port}/postgres`;
      assert.equal((await examine(server.url)).found['upstream_by_tcp'], [directory]);
      assert.is((await examine(bySocket)).found['upstream_by_tcp'], undefined);
      // a role that may not read the directory of the sockets, which is not a usual one
      await server.query('GRANT CREATE ON DATABASE postgres TO trusted');
      const other = new URL(server.url);
      other.username = 'trusted';
      assert.is((await examine(other.href)).found['upstream_by_tcp'], undefined);
    } finally {
      await server.stop();
    }
  });

  test('tells people what to do', async () => {
    const { code, stdout } = await shell.atTerminal(
      ['doctor', '--upstream', database.url, '--role', database.user],
      { env: { NO_COLOR: '1' } },
    );
    assert.is(code, 1);
    assert.match(stdout, /danger +the role is a superuser.*\(client_superuser\)/);
    assert.match(stdout, /stage doctor --print-role/);
  });

  test('says what it cannot examine', async () => {
    const unknown = await shell.run([
      'doctor',
      '--upstream',
      database.url,
      '--role',
      'no "such" role',
    ]);
    assert.is(unknown.code, 5);
    assert.is((await shell.run(['doctor'])).code, 64);
    const away = await shell.run(['doctor', '--upstream', 'postgresql://x:geheim@127.0.0.1:1/x']);
    assert.is(away.code, 7);
    assert.not.match(away.stderr, /geheim/);
  });
});

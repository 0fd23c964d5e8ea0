/** Functions and triggers with SET search_path: the names in them are found there, whatever path the client, its caller or the service has. */
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

const both = (name: string, options: string) => `
CREATE FUNCTION ${name}_read() RETURNS bigint LANGUAGE sql STABLE ${options} AS 'SELECT sum(n) FROM "T"';
CREATE FUNCTION ${name}_write(p int) RETURNS int LANGUAGE plpgsql ${options} AS $$
BEGIN
  INSERT INTO "T" (id, n) VALUES (p, p);
  PERFORM pick();
  UPDATE "T" SET n = n + pick() WHERE id <= p;
  RETURN (SELECT sum(n) FROM "T");
END $$;
CREATE PROCEDURE ${name}_call(p int, INOUT o int) LANGUAGE plpgsql ${options} AS $$
BEGIN UPDATE "T" SET n = p WHERE id = 1 RETURNING id INTO o; END $$;`;

const schema = `
CREATE SCHEMA app; CREATE SCHEMA "Odd, one"; CREATE SCHEMA later;
CREATE TABLE "T" (id int PRIMARY KEY, n int); INSERT INTO "T" VALUES (1, 1);
CREATE TABLE app."T" (id int PRIMARY KEY, n int); INSERT INTO app."T" VALUES (1, 100);
CREATE TABLE "Odd, one"."T" (id int PRIMARY KEY, n int); INSERT INTO "Odd, one"."T" VALUES (1, 1000);
CREATE FUNCTION pick() RETURNS int LANGUAGE sql STABLE AS 'SELECT 1 + count(*)::int FROM "T"';
CREATE FUNCTION app.pick() RETURNS int LANGUAGE sql STABLE AS 'SELECT 10 + count(*)::int FROM "T"';
${both('f_app', 'SET search_path = app, pg_temp')}
${both('f_odd', `SET search_path = "Odd, one", PUBLIC`)}
CREATE FUNCTION empty_path(p int) RETURNS int LANGUAGE sql SET search_path = '' AS 'UPDATE public."T" SET n = p RETURNING n';
CREATE FUNCTION calls(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN f_app_write(p) + f_odd_write(p) + (SELECT sum(n) FROM "T"); END $$;
CREATE FUNCTION over_calls(p int) RETURNS int LANGUAGE sql SET search_path = app, public AS 'SELECT calls($1)';
CREATE TABLE log (id int, was int, n int, PRIMARY KEY (id, n));
CREATE TABLE app.log (id int, was int, n int, PRIMARY KEY (id, n));
CREATE FUNCTION logged() RETURNS trigger LANGUAGE plpgsql SET search_path = app AS $$
BEGIN INSERT INTO log VALUES (NEW.id, OLD.n, (SELECT count(*) FROM log)); RETURN NULL; END $$;
CREATE TRIGGER logged AFTER UPDATE ON "T" FOR EACH ROW EXECUTE FUNCTION logged();
CREATE FUNCTION filled() RETURNS trigger LANGUAGE plpgsql SET search_path = app AS $$
BEGIN NEW.n := coalesce(NEW.n, 0) + pick(); RETURN NEW; END $$;
CREATE TRIGGER filled BEFORE INSERT ON "T" FOR EACH ROW EXECUTE FUNCTION filled();
`;
const seen = [
  'SELECT * FROM public."T" ORDER BY id',
  'SELECT * FROM app."T" ORDER BY id',
  'SELECT * FROM "Odd, one"."T" ORDER BY id',
  'SELECT * FROM app.log ORDER BY id, n',
  'SELECT * FROM public.log',
];

suite('functions with a path of their own', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const alike = async (texts: readonly string[], send = (text: string) => [q(text)]) => {
    await assertAlike(proxied, texts.flatMap(send));
    for (const text of seen)
      assert.equal(await proxied.database.query(text), await proxied.twin.query(text), text);
  };
  for (const [at, path] of ['public', 'app', '"Odd, one"'].entries()) {
    const each = [
      `SET search_path = ${path}`,
      `SELECT public.f_app_write(${at * 10 + 2})`,
      'SELECT public.f_app_read(), public.f_odd_read()',
      `SELECT public.f_odd_write(${at * 10 + 3})`,
      'CALL public.f_app_call(4, NULL)',
      'CALL public.f_odd_call(5, NULL)',
      'SELECT public.empty_path(6)',
      `SELECT public.over_calls(${at * 10 + 5})`,
      'UPDATE public."T" SET n = 3 WHERE id = 1',
      `INSERT INTO public."T" (id) VALUES (${at * 10 + 6}) RETURNING n`,
      ...seen,
    ];
    test(
      `find names there, called under ${path}`,
      async () => {
        if (at === 1) await alike(each, (text) => [run(text), s]);
        else await alike(each);
      },
      { timeout: 120_000 },
    );
  }

  test(
    'are followed when the clause, or what it finds, changes',
    async () => {
      const { daemon, twin, database } = proxied;
      const client = await proxied.connect(
        daemon.clientUrl(await daemon.newSession({ reads: 'staged' })),
      );
      const ask = async () => {
        // a connection of PostgreSQL keeps what its functions have found before
        const direct = await proxied.connect(twin.url);
        const texts = ['SELECT f_app_write(50) AS n', 'SELECT f_app_read() AS n'];
        for (const text of ['BEGIN', ...texts, 'ROLLBACK'])
          assert.equal((await client.query(text)).rows, (await direct.query(text)).rows, text);
      };
      await ask();
      for (const change of [
        'ALTER FUNCTION f_app_write SET search_path = "Odd, one", public; ALTER FUNCTION f_app_read SET search_path = public',
        'ALTER FUNCTION f_app_write SET search_path = later, app; ALTER FUNCTION f_app_read SET search_path = later, app',
        'CREATE TABLE later."T" (id int PRIMARY KEY, n int); INSERT INTO later."T" VALUES (2, 7)',
        'ALTER SCHEMA later RENAME TO latest',
        'ALTER FUNCTION f_app_write RESET search_path; ALTER FUNCTION f_app_read RESET search_path',
      ]) {
        for (const { query } of [database, twin]) await query(change);
        await ask();
      }
    },
    { timeout: 120_000 },
  );

  test('run nothing of users while they are followed', async () => {
    const { daemon, database } = proxied;
    await database.query(`CREATE TABLE witness (who text);
      CREATE FUNCTION unnest(oid[]) RETURNS SETOF oid LANGUAGE plpgsql AS
        'BEGIN INSERT INTO public.witness VALUES (current_user); RETURN QUERY SELECT pg_catalog.unnest($1); END';
      CREATE OR REPLACE FUNCTION calls(p int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN f_odd_write(p); END'`);
    const session = await daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(daemon.clientUrl(session));
    await client.query('SELECT calls(70)');
    assert.equal(await database.query('SELECT * FROM witness'), []);
    await database.query('DROP FUNCTION unnest(oid[])');
  });

  test('do not read for a role what it may not look for', async () => {
    const { daemon, database } = proxied;
    await database.query(
      `CREATE FUNCTION counted() RETURNS bigint LANGUAGE sql STABLE SET search_path = app, public AS 'SELECT count(*) FROM "T"';
      INSERT INTO app."T" SELECT g, g FROM generate_series(900, 950) g`,
    );
    const role = await createRole(database, 'GRANT SELECT ON app."T", public."T" TO $role');
    const session = await daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(daemon.clientUrl(session, role.name, role.name));
    const direct = await role.connect();
    const text = 'SELECT counted()';
    assert.equal((await client.query(text)).rows, (await direct.query(text)).rows);
    await database.query(`GRANT USAGE ON SCHEMA app TO ${role.name}`);
    assert.equal((await client.query(text)).rows, (await direct.query(text)).rows);
    await client.end();
    await role.drop();
  });

  test('write nothing for a role to a schema that it may not use', async () => {
    const { daemon, database } = proxied;
    await database.query(`CREATE TABLE noted (id int PRIMARY KEY); CREATE TABLE app.note (id int PRIMARY KEY);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET search_path = app AS 'BEGIN INSERT INTO note VALUES (NEW.id); RETURN NULL; END';
      CREATE TRIGGER note AFTER INSERT ON noted FOR EACH ROW EXECUTE FUNCTION note();
      CREATE PROCEDURE note_one(p int) LANGUAGE plpgsql AS 'BEGIN INSERT INTO app.note VALUES (p); END'`);
    const role = await createRole(database, 'GRANT SELECT, INSERT ON noted, app.note TO $role');
    const session = await daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(daemon.clientUrl(session, role.name, role.name));
    const texts = ['INSERT INTO noted VALUES (1)', 'CALL note_one(2)'];
    for (const text of texts) {
      const { code, message } = await rejects(client.query(text));
      assert.equal([code, message], ['42501', 'permission denied for schema app'], text);
    }
    await database.query(`GRANT USAGE ON SCHEMA app TO ${role.name}`);
    for (const text of texts) await client.query(text);
    await client.end();
    await role.drop();
  });
});

/** Attempts to have functions that write run code that nobody has checked: in quotes, defaults, types, and by names that move. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const write = "INSERT INTO notes VALUES (1, 'seen')";
const inQuotes = (text: string) =>
  `LANGUAGE plpgsql AS $f$DECLARE x text; BEGIN ${write}; x := 'a"'; ${text}; x := '" % rowtype'; END$f$`;
const inMessage = `LANGUAGE plpgsql AS $f$BEGIN ${write}; RAISE NOTICE 'a"'; EXECUTE 'CREATE TABLE effects ()'; RAISE NOTICE '" % rowtype', 1; END$f$`;
const inComment = `LANGUAGE plpgsql AS $f$BEGIN ${write}; -- "
  EXECUTE 'CREATE TABLE effects ()'; -- " % rowtype
END$f$`;
const declaring = (type: string) =>
  `LANGUAGE plpgsql AS $f$DECLARE d ${type}; BEGIN ${write}; d := 'x'; END$f$`;
const inRow = (type: string) =>
  `LANGUAGE plpgsql AS $f$DECLARE d ${type}; BEGIN ${write}; d.what := 'x'; END$f$`;
const other = '00000000-0000-0000-0000-000000000000';

/** By the name of a procedure: its arguments and text, and why it is not staged. */
const procedures: Readonly<Record<string, readonly [string, string, RegExp]>> = {
  quotes: ['', inQuotes("EXECUTE 'CREATE TABLE effects ()'"), /does more than read/],
  commits: ['', inQuotes('COMMIT'), /does more than read/],
  catches: ['', inQuotes('EXCEPTION WHEN query_canceled THEN NULL'), /does more than read/],
  messages: ['', inMessage, /does more than read/],
  comments: ['', inComment, /does more than read/],
  notifies: [
    "a text = pg_notify('effects', '')::text",
    `LANGUAGE sql AS '${write.replaceAll("'", "''")}'`,
    /calls pg_notify\(\)/,
  ],
  renames: [
    `a text = set_config('stage.session', '${other}', true)`,
    declaring('text'),
    /calls set_config\(\)/,
  ],
  moves: [
    "a text = set_config('search_path', 'apart', false)",
    declaring('text'),
    /calls set_config\(\)/,
  ],
  calls: [
    '',
    `LANGUAGE plpgsql AS $f$BEGIN ${write}; PERFORM notifying(); END$f$`,
    /calls pg_notify\(\)/,
  ],
  domain_of: ['', declaring('checked'), /runs check_code\(\), which no call names/],
  list_of: [
    '',
    `LANGUAGE plpgsql AS $f$DECLARE d checked[]; BEGIN ${write}; d := '{x}'; END$f$`,
    /runs check_code\(\)/,
  ],
  reads_policed: [
    '',
    `LANGUAGE plpgsql AS $f$BEGIN ${write}; PERFORM 1 FROM policed; END$f$`,
    /calls is_shown\(\), which does more than read/,
  ],
  reads_view: [
    '',
    `LANGUAGE plpgsql AS $f$BEGIN ${write}; PERFORM 1 FROM behind_view; END$f$`,
    /calls pg_notify\(\)/,
  ],
  reads_deeper: [
    '',
    `LANGUAGE plpgsql AS $f$BEGIN ${write}; PERFORM 1 FROM behind_both; END$f$`,
    /calls pg_notify\(\)/,
  ],
  reads_text: [
    '',
    `LANGUAGE plpgsql AS $f$BEGIN ${write}; PERFORM 1 FROM behind_text; END$f$`,
    /calls looks\(\), which runs a text/,
  ],
  reads_join: [
    '',
    `LANGUAGE plpgsql AS $f$BEGIN ${write}; PERFORM 1 FROM behind_join; END$f$`,
    /calls joins\(\), which runs a text/,
  ],
  reads_apart: [
    '',
    `LANGUAGE plpgsql AS $f$BEGIN ${write}; PERFORM 1 FROM behind_apart; END$f$`,
    /calls format\(\), which is several functions/,
  ],
  writes_policed: [
    '',
    'LANGUAGE sql AS $f$INSERT INTO policed VALUES (1)$f$',
    /calls is_shown\(\), which does more than read/,
  ],
  writes_by_text: [
    '',
    `LANGUAGE plpgsql AS $f$BEGIN ${write}; DELETE FROM policed_by_text; END$f$`,
    /calls looks\(\), which runs a text/,
  ],
  column_of: ['', declaring('typed.what%TYPE'), /runs check_code\(\)/],
  row_of: ['', inRow('public . typed % ROWTYPE'), /runs check_code\(\)/],
  pair_of: ['', inRow('pair'), /runs check_code\(\)/],
};

const schema = `
CREATE TABLE notes (id int PRIMARY KEY, what text);
CREATE FUNCTION check_code(text) RETURNS boolean LANGUAGE plpgsql AS $f$BEGIN
  EXECUTE 'NOTIFY effects'; PERFORM set_config('stage.session', '${other}', true); RETURN true; END$f$;
CREATE DOMAIN checked AS text CHECK (check_code(VALUE));
CREATE TABLE typed (id int PRIMARY KEY, what checked);
CREATE TYPE pair AS (id int, what checked);
CREATE FUNCTION notifying(a text = pg_notify('effects', '')::text) RETURNS text LANGUAGE sql AS 'SELECT a';
CREATE FUNCTION writer() RETURNS text LANGUAGE plpgsql AS $f$BEGIN ${write}; RETURN lower('A'); END$f$;
CREATE FUNCTION is_allowed(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 <> ''no''';
REVOKE EXECUTE ON FUNCTION is_allowed FROM PUBLIC;
CREATE TABLE guarded (id int PRIMARY KEY, what text CHECK (is_allowed(what)));
CREATE FUNCTION guarded_writer() RETURNS int LANGUAGE sql AS 'INSERT INTO guarded VALUES (1, ''a'') RETURNING id';
CREATE TABLE policed (id int PRIMARY KEY);
CREATE FUNCTION is_shown(int) RETURNS boolean LANGUAGE plpgsql AS $f$BEGIN INSERT INTO notes VALUES ($1, 'seen'); RETURN true; END$f$;
ALTER TABLE policed ENABLE ROW LEVEL SECURITY;
CREATE POLICY shown ON policed USING (is_shown(id));
CREATE FUNCTION tells() RETURNS int LANGUAGE plpgsql AS $f$BEGIN NOTIFY effects; RETURN 1; END$f$;
CREATE VIEW behind_view AS SELECT tells() AS n;
CREATE FUNCTION passes(int) RETURNS boolean LANGUAGE plpgsql AS $f$BEGIN RETURN notifying() IS NULL; END$f$;
CREATE VIEW behind_both AS SELECT 1 AS n WHERE passes(1);
CREATE FUNCTION looks() RETURNS int LANGUAGE plpgsql AS $f$DECLARE n int; q text := 'SELECT count(*) FROM notes'; BEGIN EXECUTE q INTO n; RETURN n; END$f$;
CREATE FUNCTION joins(text) RETURNS int LANGUAGE plpgsql AS $f$DECLARE n int; BEGIN EXECUTE 'SELECT id FROM notes WHERE what = ' || quote_literal($1) INTO n; RETURN n; END$f$;
CREATE VIEW behind_text AS SELECT looks() AS n;
CREATE VIEW behind_join AS SELECT joins('x') AS n;
CREATE TABLE policed_by_text (id int PRIMARY KEY);
ALTER TABLE policed_by_text ENABLE ROW LEVEL SECURITY;
CREATE POLICY counted ON policed_by_text USING (looks() > id);
CREATE SCHEMA apart;
CREATE FUNCTION apart.lower(text) RETURNS text LANGUAGE plpgsql AS $f$BEGIN EXECUTE 'NOTIFY effects'; RETURN 'moved'; END$f$;
CREATE FUNCTION apart.format(text, text) RETURNS text LANGUAGE sql AS $f$SELECT 'SELECT 1 FROM pg_notify(''effects'', '''')'$f$;
CREATE FUNCTION looks_apart(text) RETURNS int LANGUAGE plpgsql SET search_path = public, apart AS $f$DECLARE n int; BEGIN EXECUTE format('SELECT %I FROM notes', $1) INTO n; RETURN n; END$f$;
CREATE VIEW behind_apart AS SELECT looks_apart('id') AS n;
CREATE FUNCTION apart.writer() RETURNS text LANGUAGE plpgsql AS $f$BEGIN INSERT INTO public.notes VALUES (1, 'seen'); RETURN 'a'; END$f$;
${Object.entries(procedures)
  .map(([name, [args, text]]) => `CREATE PROCEDURE ${name}(${args}) ${text};`)
  .join('\n')}
`;

suite('effects of functions that write', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  const open = async (...login: string[]) =>
    proxied.connect(
      proxied.daemon.clientUrl(await proxied.daemon.newSession({ reads: 'staged' }), ...login),
    );
  const listen = async () => {
    const listener = await proxied.connect(proxied.database.url);
    const heard: string[] = [];
    listener.on('notification', ({ channel }) => heard.push(channel));
    await listener.query('LISTEN effects');
    return async () => {
      await listener.query('SELECT 1');
      return heard;
    };
  };

  test('are those that their texts show', async () => {
    const heard = await listen();
    const before = await proxied.contents();
    for (const [name, [, , reason]] of Object.entries(procedures)) {
      const client = await open();
      const { message } = await rejects(client.query(`CALL ${name}()`));
      assert.match(message, new RegExp(`^CALL of ${name}\\(\\) cannot be staged: the procedure `));
      assert.match(message, reason, name);
    }
    assert.equal(await heard(), []);
    assert.equal(await proxied.contents(), before);
  });

  test('do not come from names that move while the statement runs', async () => {
    const heard = await listen();
    const client = await open();
    const moving = "set_config('search_path', 'apart, pg_catalog, public', true)";
    for (const text of [`SELECT ${moving}, writer()`, `SELECT writer(), ${moving}`])
      assert.match(
        (await rejects(client.query(text))).message,
        /cannot stage what functions write in a statement that sets search_path or the role/,
      );
    assert.match(
      (
        await rejects(
          client.query('SELECT set_config($1, $2, true), writer()', ['role', 'postgres']),
        )
      ).message,
      /cannot (?:stage what functions write in a statement that sets search_path|be run)/,
    );
    assert.equal(await heard(), []);
    assert.equal((await client.query('SELECT writer()')).rows, [{ writer: 'a' }]);
  });

  test('need the right to use the schema of the function', async () => {
    const role = await createRole(
      proxied.database,
      'GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO $role',
    );
    const client = await open(role.name, role.name);
    assert.is((await rejects(client.query('SELECT apart.writer()'))).code, '42501');
    assert.equal((await client.query('SELECT * FROM notes')).rows, []);
    await proxied.database.query(`GRANT USAGE ON SCHEMA apart TO ${role.name}`);
    assert.equal((await client.query('SELECT apart.writer()')).rows, [{ writer: 'a' }]);
    await client.end();
    await proxied.database.query(`REVOKE USAGE ON SCHEMA apart FROM ${role.name}`);
    await role.drop();
  });

  test('need the right to call what the checks of a table call', async () => {
    const role = await createRole(
      proxied.database,
      'GRANT SELECT, INSERT, UPDATE, DELETE ON guarded TO $role',
    );
    const client = await open(role.name, role.name);
    const call = 'SELECT guarded_writer() AS id';
    assert.match(
      (await rejects(client.query(call))).message,
      /permission denied for function is_allowed/,
    );
    assert.equal((await client.query('SELECT * FROM guarded')).rows, []);
    await proxied.database.query(`GRANT EXECUTE ON FUNCTION is_allowed TO ${role.name}`);
    assert.equal((await client.query(call)).rows, [{ id: 1 }]);
    await client.end();
    await role.drop();
  });
});

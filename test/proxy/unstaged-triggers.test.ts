/** Triggers that cannot be followed do not fire while staging: approval has them fire, and the diff and the doctor say which these are. */
import { readTable } from '../../src/db/catalog-reader.ts';
import { createDatabase } from '../../src/db/database.ts';
import { installTriggers } from '../../src/overlay/triggers/install-triggers.ts';
import { unstagedTriggers } from '../../src/overlay/triggers/unstaged-triggers.ts';
import { serverMajor } from '../helpers/database.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const body = (text: string) => `AS $f$BEGIN ${text}; RETURN NEW; END$f$`;
/** By the name of table, function and trigger: what the function does, how it is declared, and why it is not followed. */
const apart: Readonly<Record<string, readonly [string, string, RegExp]>> = {
  writes: [
    body(`INSERT INTO log VALUES ('writes')`),
    '',
    /writes to log, which is a table without/,
  ],
  dynamic: [body(`EXECUTE 'SELECT ' || NEW.n`), '', /does more than read/],
  replaces: [
    body('MERGE INTO log USING (VALUES (1)) v (n) ON false WHEN NOT MATCHED THEN DO NOTHING'),
    '',
    /does more than read/,
  ],
  owner: [body('NULL'), 'SECURITY DEFINER', /runs with its owner's rights/],
  own_settings: [body('NULL'), `SET work_mem = '1MB'`, /has settings of its own/],
  notifies: [
    body(`IF false THEN RETURN NULL; END IF; PERFORM pg_notify('a', 'b')`),
    '',
    /and may suppress/,
  ],
  sets: [body(`PERFORM set_config('stage.session', 'x', true)`), '', /calls set_config\(\)/],
  sets_any: [body(`PERFORM set_config(TG_NAME || '.x', 'x', true)`), '', /calls set_config\(\)/],
  locks_apart: [body('PERFORM pg_advisory_xact_lock(1)'), '', /calls pg_advisory_xact_lock\(\)/],
  deep: [body('PERFORM writer()'), '', /writes to log, which is a table without/],
  deeper: [body('PERFORM caller()'), '', /writes to log, which is a table without/],
  twice: [
    body('INSERT INTO counted VALUES (NEW.id, count_up(NEW.id))'),
    '',
    /calls count_up\(\), which writes, in a statement that writes/,
  ],
  nested: [
    body('PERFORM count_both(NEW.id)'),
    '',
    /calls count_up\(\), which writes, in a statement that writes/,
  ],
  merges: [body('PERFORM merged()'), '', /calls merged\(\), which does more than read/],
  reports: [body('PERFORM told()'), '', /calls pg_advisory_xact_lock\(\)/],
  itself: [
    body('IF NEW.id < 3 THEN PERFORM of_itself(NEW.id); END IF'),
    '',
    /uses ON CONFLICT for its own table/,
  ],
  mutual: [
    body('PERFORM ping(NEW.id)'),
    '',
    /calls ping\(\), which calls itself through other functions/,
  ],
  referred: [
    body('PERFORM refer(NEW.id)'),
    '',
    /writes to parents, which draws a key to which foreign keys refer/,
  ],
  definer: [body('PERFORM hidden()'), '', /calls hidden\(\), which runs with its owner's rights/],
  operates: [body('PERFORM 1 ==> 2'), '', /runs writer_of\(\), which no call names/],
  options: [
    `AS $f$#variable_conflict use_column\nBEGIN RETURN NEW; END$f$`,
    '',
    /options before its body/,
  ],
};
const names = Object.keys(apart);

const schema = `
CREATE TABLE log (what text);
CREATE FUNCTION writer() RETURNS int LANGUAGE sql AS $$INSERT INTO log VALUES ('writer'); SELECT 1$$;
CREATE FUNCTION writer_of(int, int) RETURNS int LANGUAGE sql AS $$INSERT INTO log VALUES ('operator'); SELECT 1$$;
CREATE OPERATOR ==> (LEFTARG = int, RIGHTARG = int, FUNCTION = writer_of);
CREATE FUNCTION caller() RETURNS int LANGUAGE plpgsql AS $$BEGIN RETURN writer(); END$$;
CREATE TABLE counted (id int PRIMARY KEY, n int);
CREATE FUNCTION count_up(p int) RETURNS int LANGUAGE sql AS 'INSERT INTO counted VALUES (-p, 1) RETURNING n';
CREATE FUNCTION count_both(p int) RETURNS void LANGUAGE plpgsql AS 'BEGIN UPDATE counted SET n = count_up(p) WHERE id = 77; END';
CREATE FUNCTION merged() RETURNS void LANGUAGE plpgsql AS
  'BEGIN MERGE INTO counted c USING (VALUES (1)) v (n) ON c.n = v.n WHEN NOT MATCHED THEN INSERT VALUES (1, 1); END';
CREATE FUNCTION told() RETURNS void LANGUAGE plpgsql AS $$BEGIN UPDATE counted SET n = 1; PERFORM pg_advisory_xact_lock(1); END$$;
CREATE FUNCTION of_itself(p int) RETURNS void LANGUAGE plpgsql AS 'BEGIN INSERT INTO itself_t VALUES (p + 1) ON CONFLICT DO NOTHING; END';
CREATE TABLE parents (id serial PRIMARY KEY, n int);
CREATE TABLE children (id int PRIMARY KEY, parent int REFERENCES parents);
CREATE FUNCTION refer(p int) RETURNS void LANGUAGE plpgsql AS 'BEGIN INSERT INTO parents (n) VALUES (p); END';
CREATE FUNCTION ping(p int) RETURNS void LANGUAGE plpgsql AS 'BEGIN INSERT INTO counted VALUES (50 + p); IF p > 1 THEN PERFORM pong(p); END IF; END';
CREATE FUNCTION pong(p int) RETURNS void LANGUAGE plpgsql AS 'BEGIN PERFORM ping(p - 1); END';
CREATE FUNCTION hidden() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';
${names
  .map((name) => {
    const [text, options] = apart[name] ?? [];
    return `CREATE TABLE ${name}_t (id int PRIMARY KEY, n int);
CREATE FUNCTION ${name}_f() RETURNS trigger LANGUAGE plpgsql ${options} ${text};
CREATE TRIGGER ${name} BEFORE INSERT ON ${name}_t FOR EACH ROW EXECUTE FUNCTION ${name}_f();`;
  })
  .join('\n')}
CREATE TABLE mixed (id int PRIMARY KEY, n int);
CREATE FUNCTION doubled() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.n := NEW.n * 2; RETURN NEW; END';
CREATE TRIGGER a BEFORE INSERT OR UPDATE ON mixed FOR EACH ROW EXECUTE FUNCTION doubled();
CREATE TRIGGER b BEFORE INSERT ON mixed FOR EACH ROW EXECUTE FUNCTION writes_f();
CREATE TRIGGER c AFTER UPDATE ON mixed FOR EACH ROW EXECUTE FUNCTION writes_f();
CREATE TRIGGER d BEFORE UPDATE ON mixed FOR EACH STATEMENT EXECUTE FUNCTION writes_f();
CREATE CONSTRAINT TRIGGER e AFTER INSERT ON mixed DEFERRABLE FOR EACH ROW EXECUTE FUNCTION doubled();
CREATE TRIGGER f AFTER UPDATE ON mixed FOR EACH ROW EXECUTE FUNCTION doubled();
CREATE TABLE kept (id int PRIMARY KEY, n int, seen text);
CREATE FUNCTION label(int) RETURNS text LANGUAGE sql AS $$SELECT 'public'$$;
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.n := NEW.n * 2; NEW.seen := label(1); RETURN NEW; END';
CREATE TRIGGER see BEFORE INSERT OR UPDATE ON kept FOR EACH ROW EXECUTE FUNCTION see();
INSERT INTO kept VALUES (1, 1, 'x'), (2, 1, 'x');
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION '% by %', NEW, current_user; END$$;
CREATE TRIGGER refuse AFTER INSERT OR UPDATE ON kept FOR EACH ROW WHEN (NEW.n > 1000) EXECUTE FUNCTION refuse();
CREATE FUNCTION kept_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TABLE waiting (id int PRIMARY KEY, n int, g int GENERATED ALWAYS AS (n) STORED);
CREATE TRIGGER w BEFORE UPDATE OF g ON waiting FOR EACH ROW EXECUTE FUNCTION doubled();
CREATE FUNCTION is_odd(int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN $1 % 2 = 1; END';
CREATE DOMAIN odd AS int CHECK (is_odd(VALUE));
CREATE TABLE asked (id int PRIMARY KEY, n int);
CREATE TRIGGER asks AFTER INSERT ON asked FOR EACH ROW WHEN (NEW.n::odd > 0) EXECUTE FUNCTION kept_row();
CREATE TABLE same (id int PRIMARY KEY, n int);
CREATE FUNCTION five() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.n := 5; RETURN NEW; END';
CREATE TRIGGER five BEFORE INSERT ON same FOR EACH ROW EXECUTE FUNCTION five();
CREATE TRIGGER named AFTER UPDATE OF n ON same FOR EACH ROW EXECUTE FUNCTION five();
INSERT INTO same VALUES (7);
CREATE SCHEMA theirs;
CREATE FUNCTION theirs.label(int) RETURNS text LANGUAGE sql AS $$SELECT 'theirs'$$;
`;

interface Told {
  readonly tables: Record<
    string,
    { readonly triggers: readonly { name: string; unstaged: string | null }[] }
  >;
}

suite('triggers that do not fire while staging', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const staged = async (texts: readonly string[]) => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(id));
    for (const text of texts) await client.query(text);
    return { id, client };
  };
  const approve = async (id: string) => {
    for (const step of ['propose', 'approve']) {
      const { status, text } = await proxied.daemon.call('POST', `/sessions/${id}/${step}`);
      assert.is(status, 200, text);
    }
  };
  const diff = async (id: string) =>
    (await proxied.daemon.call('GET', `/sessions/${id}/diff`)).body as unknown as Told;

  test('are told in the diff, and fire at approval', async () => {
    const { id, client } = await staged(names.map((name) => `INSERT INTO ${name}_t VALUES (1, 1)`));
    assert.equal((await client.query('SELECT FROM log')).rowCount, 0);
    const { tables } = await diff(id);
    for (const name of names) {
      const [reported] = tables[`${name}_t`]?.triggers ?? [];
      assert.match(String(reported?.unstaged), (apart[name] ?? [])[2] ?? /never/, name);
    }
    await approve(id);
    const log = await proxied.database.query<{ what: string }>('SELECT what FROM log ORDER BY 1');
    assert.equal(
      log.map(({ what }) => what),
      ['operator', 'writer', 'writer', 'writes'],
    );
  });

  test('keep those from firing that fire for the same rows', async () => {
    const { id, client } = await staged(['INSERT INTO mixed VALUES (1, 1)']);
    const { rows } = await client.query('UPDATE mixed SET n = 10 RETURNING n');
    assert.equal(rows, [{ n: 20 }]);
    const [a, ...others] = (await diff(id)).tables['mixed']?.triggers ?? [];
    assert.is(a?.unstaged, 'fires for INSERT together with b, which does not fire');
    assert.equal(
      others.map(({ name, unstaged }) => [name, unstaged]),
      [
        ['b', 'writes to log, which is a table without a key'],
        ['c', 'writes to log, which is a table without a key'],
        ['d', 'does more than read, or cannot be followed'],
        ['e', 'fires for INSERT after b, which does not fire'],
        ['f', 'fires for UPDATE after c, which does not fire'],
      ],
    );
  });

  test('are listed before anybody meets them', async () => {
    const db = createDatabase({ url: proxied.database.url });
    const lines = await unstagedTriggers(db);
    await db.close();
    for (const name of names)
      assert.ok(
        lines.some((line) => line.startsWith(`${name}_t: trigger ${name} `)),
        name,
      );
    assert.ok(lines.includes('waiting: trigger w waits for updates of a generated column'));
    assert.ok(lines.includes('asked: trigger asks calls functions in its condition'));
    assert.not.ok(lines.some((line) => line.startsWith('kept')));
  });

  test('leave the search path of the service as it was, which finds nothing of users', async () => {
    await proxied.database.query(`
      CREATE FUNCTION seized(name, name) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE 'seized'; END$$;
      CREATE OPERATOR public.!~ (LEFTARG = name, RIGHTARG = name, FUNCTION = seized)`);
    const db = createDatabase({ url: proxied.database.url });
    const [table] = await db.query(`SELECT 'public.deep_t'::regclass::oid AS oid`);
    const path = await db.transaction(async (tx) => {
      await tx.query(`UPDATE stage.overlay SET triggers = '[]' WHERE relation = $1`, [
        table?.['oid'] ?? '',
      ]);
      const deep = await readTable(tx, Number(table?.['oid']));
      if (deep) await installTriggers(tx, deep, await serverMajor());
      return tx.query(`SELECT pg_catalog.current_setting('search_path') AS path`);
    });
    await db.close();
    await proxied.database.query('DROP FUNCTION seized CASCADE');
    assert.equal(path, [{ path: 'pg_catalog, pg_temp' }]);
  });

  test('of those that do, names mean what they will at approval', async () => {
    const { client } = await staged(['SET search_path = theirs, public']);
    const { rows } = await client.query('UPDATE kept SET n = 2 WHERE id = 1 RETURNING n, seen');
    assert.equal(rows, [{ n: 4, seen: 'public' }]);
  });

  test('of those that do, all are fired for roles without rights on the schemas of the service', async () => {
    const role = `plain_${proxied.database.name}`;
    await proxied.database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT ALL ON kept TO ${role};
      CREATE TRIGGER gone BEFORE DELETE ON kept FOR EACH ROW EXECUTE FUNCTION kept_row()`);
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(id, role, 'x'));
    for (const [text, expected] of [
      ['INSERT INTO kept VALUES (8, 4) RETURNING n', [{ n: 8 }]],
      ['UPDATE kept SET n = 5 WHERE id = 8 RETURNING n', [{ n: 10 }]],
      [
        'INSERT INTO kept VALUES (8, 3) ON CONFLICT (id) DO UPDATE SET n = excluded.n RETURNING n',
        [{ n: 12 }],
      ],
      ['INSERT INTO kept VALUES (9, 3) ON CONFLICT DO NOTHING RETURNING n', [{ n: 6 }]],
      ['DELETE FROM kept WHERE id = 8 RETURNING n', []],
      [
        'MERGE INTO kept k USING (SELECT 9 AS i) s ON k.id = s.i WHEN MATCHED THEN UPDATE SET n = 1',
        [],
      ],
      ['SELECT n, seen FROM kept WHERE id = 9', [{ n: 2, seen: 'public' }]],
    ] as const)
      assert.equal((await client.query(text)).rows, expected, text);
    for (const text of [
      'INSERT INTO kept VALUES (7, 1001)',
      'UPDATE kept SET n = 1001 WHERE id = 9',
    ])
      assert.match((await rejects(client.query(text))).message, `,2002,public) by ${role}`);
    await client.end();
    await proxied.database.query(
      `DROP TRIGGER gone ON kept; DROP OWNED BY ${role}; DROP ROLE ${role}`,
    );
  });

  test('what they make of a row is no change of the session: production is given what the client gave', async () => {
    const { id } = await staged([
      'UPDATE kept SET id = id WHERE id = 2',
      'UPDATE kept SET id = id WHERE id = 1',
    ]);
    await proxied.database.query('UPDATE kept SET n = 7 WHERE id = 2');
    await proxied.daemon.call('POST', `/sessions/${id}/propose`);
    const { status, body } = await proxied.daemon.call('POST', `/sessions/${id}/approve`);
    assert.is(status, 409, JSON.stringify(body));
    const columns = await proxied.daemon.newSession({ conflict_scope: 'column' });
    const client = await proxied.connect(proxied.daemon.clientUrl(columns));
    await client.query("UPDATE kept SET seen = 'mine' WHERE id = 2");
    await proxied.database.query('UPDATE kept SET n = 8 WHERE id = 2');
    await approve(columns);
    const [row] = await proxied.database.query('SELECT n, seen FROM kept WHERE id = 2');
    assert.equal(row, { n: 32, seen: 'public' });
  });

  test('a review is bound to what production is given, whatever triggers make of it', async () => {
    const digests = new Set<string>();
    for (const text of [
      ...[1, 2, 1].map((n) => `INSERT INTO same VALUES (1, ${n})`),
      ...['id = id', 'id = id, n = n', 'id = id'].map((set) => `UPDATE same SET ${set}`),
    ]) {
      const { id } = await staged([text]);
      const uuid = id.replace('sess_', '');
      const query = 'SELECT stage.steps_digest($1) AS digest';
      const [row] = await proxied.database.query<{ digest: string }>(query, [uuid]);
      digests.add(String(row?.digest));
    }
    assert.is(digests.size, 4);
  });
});

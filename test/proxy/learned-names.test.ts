/** Which resolved names a connection takes over from others, and which not. */
import { decodeDataRow } from '../../src/wire/backend-decoder.ts';
import type { Relayed } from '../helpers/relay.ts';
import { startRelayed } from '../helpers/relay.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { q } from '../helpers/wire-script.ts';

suite('what is shared of names', (test) => {
  let relayed: Relayed;
  test.before(async () => {
    relayed =
      await startRelayed(`CREATE DOMAIN small AS int; CREATE TABLE t (id int PRIMARY KEY, v small, w text);
      CREATE TABLE u (id int PRIMARY KEY); CREATE TABLE aged (id int); CREATE SEQUENCE numbers; CREATE TABLE plain (id int PRIMARY KEY, v int);
      CREATE FUNCTION code(int) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN true; END'`);
    await relayed.database.query(
      `GRANT INSERT, UPDATE ON t, u, plain, aged TO ${relayed.reader.name}`,
    );
  });
  test.after(() => relayed.stop());

  /** Runs a text to its end. Returns what is sent upstream for it, the SQLSTATE of its error, and the last values of its rows. */
  async function sentFor(
    client: WireClient,
    text: string,
  ): Promise<{ sent: string; error: string | null; rows: string[] }> {
    const { relay, reader } = relayed;
    relay.take(reader.name);
    client.send(q(text));
    const answers = await client.readTo('Z'.charCodeAt(0));
    const error = answers.find(({ type }) => type === 'E'.charCodeAt(0));
    const isRow = ({ type }: { type: number }) => type === 'D'.charCodeAt(0);
    return {
      rows: answers.filter(isRow).map(({ payload }) => String(decodeDataRow(payload).at(-1))),
      sent: Buffer.concat(relay.take(reader.name)).toString('latin1'),
      error: error ? (/\0C([0-9A-Z]{5})/.exec(error.payload.toString('latin1'))?.[1] ?? '') : null,
    };
  }

  test('a later connection asks whether it holds', async () => {
    // a table with a domain, such as t, is looked up by each connection: its definition names an object of a user
    // the objects that the first write creates for the table count as changes by users, too
    const maker = await relayed.connect();
    await sentFor(maker, 'INSERT INTO plain VALUES (0, 0)');
    maker.close();
    const first = await relayed.connect();
    assert.match(
      (await sentFor(first, 'INSERT INTO plain VALUES (1, 1)')).sent,
      /stage\.resolve_relations/,
    );
    const second = await relayed.connect();
    const { sent, error } = await sentFor(second, 'INSERT INTO plain VALUES (1, 1)');
    assert.match(sent, /stage\.names_are_valid/);
    assert.not.match(sent, /stage\.resolve_relations|stage\.find_code/);
    assert.is(error, null);
    first.close();
    second.close();
  });

  test('and where it does not, what the names mean', async () => {
    const { daemon, database, reader } = relayed;
    const connect = async () => relayed.connect(await daemon.newSession({ reads: 'staged' }));
    const maker = await connect();
    assert.is((await sentFor(maker, 'INSERT INTO u VALUES (1)')).error, null);
    const [first, second] = [await connect(), await connect()];
    assert.is((await sentFor(first, 'SELECT * FROM u')).error, null);
    await database.query(`ALTER TABLE u RENAME TO former; CREATE TABLE u AS SELECT 'another' AS v;
      GRANT SELECT ON u TO ${reader.name}`);
    const { sent, rows } = await sentFor(second, 'SELECT * FROM u');
    assert.match(sent, /stage\.names_are_valid[\s\S]*stage\.resolve_relations/);
    assert.equal(rows, ['another']);
    for (const client of [maker, first, second]) client.close();
  });

  test('names that an old snapshot shows are not shared', async () => {
    const text = 'INSERT INTO aged VALUES (1)';
    const maker = await relayed.connect();
    assert.is((await sentFor(maker, text)).error, null);
    const old = await relayed.connect();
    await sentFor(old, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
    assert.match((await sentFor(old, text)).sent, /stage\.resolve_relations/);
    const later = await relayed.connect();
    const { sent, error } = await sentFor(later, text);
    assert.is(error, null);
    assert.match(sent, /stage\.resolve_relations/);
    // nothing was shared whose validity it could ask for
    assert.not.match(sent, /stage\.names_are_valid/);
    for (const client of [maker, old, later]) client.close();
  });

  test('the check of names calls only functions of the service', async () => {
    const { database } = relayed;
    await database.query(`CREATE SCHEMA stage_overlay_1;
      CREATE FUNCTION stamp_1() RETURNS text LANGUAGE plpgsql AS $$BEGIN RAISE 'called'; END$$;
      CREATE FUNCTION stage_overlay_1.stamp_1() RETURNS text LANGUAGE plpgsql AS $$BEGIN RAISE 'called'; END$$;
      CREATE ROLE ${database.name}_other; ALTER SCHEMA stage_overlay_1 OWNER TO ${database.name}_other`);
    for (const stamp of ['stamp_1', 'public.stamp_1', 'stage_overlay_1.stamp_1']) {
      const [row] = await database.query('SELECT stage.names_are_valid($1)::text AS valid', [
        JSON.stringify([{ oid: 1, name: 'plain', views: [], stamp }]),
      ]);
      assert.is(row?.['valid'], 'false', stamp);
    }
    await database.query(`DROP SCHEMA stage_overlay_1 CASCADE; DROP FUNCTION stamp_1();
      DROP ROLE ${database.name}_other`);
  });

  const change = `UPDATE called SET v = lower('X') || v WHERE id = 1`;

  test('what calls of the server stand for is asked once for all connections of a login', async () => {
    const { database, reader } = relayed;
    await database.query(
      `CREATE TABLE called (id int PRIMARY KEY, v text); GRANT SELECT, INSERT, UPDATE ON called TO ${reader.name}`,
    );
    const asks = async () => {
      const client = await relayed.connect();
      const { sent, error } = await sentFor(client, change);
      client.close();
      assert.is(error, null);
      return sent.includes('stage.find_code');
    };
    // the objects that the first write creates for the table count as changes by users, too
    await asks();
    // PostgreSQL's counters report the new objects some seconds later, and then everything is queried again
    await until(async () => !(await asks()));
    // whether a function of a schema may be called depends on the schema's grants, whose changes no event reports
    await database.query(`CREATE SCHEMA closed;
      CREATE FUNCTION closed.lower(int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1; END'`);
    // nothing is shared of this name any more
    for (const _ of [1, 2]) assert.ok(await asks());
    await database.query('DROP SCHEMA closed CASCADE');
  });

  test('a search path that has been set since is asked for', async () => {
    const client = await relayed.connect();
    assert.is((await sentFor(client, change)).error, null);
    await sentFor(client, 'SET search_path = public, pg_catalog');
    assert.is((await sentFor(client, change)).error, '0A000');
    client.close();
  });

  test('calls that an old snapshot shows are not shared', async () => {
    const { database } = relayed;
    const old = await relayed.connect();
    await sentFor(old, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
    await sentFor(old, 'SELECT count(*) FROM pg_class');
    await database.query('CREATE EXTENSION citext');
    (await relayed.connect()).close();
    const text = `UPDATE called SET v = translate('a', 'b', 'c') WHERE id = 1`;
    assert.is((await sentFor(old, text)).error, null);
    const later = await relayed.connect();
    // the old connection does not know the extension's function of this name
    assert.match((await sentFor(later, text)).sent, /stage\.find_code/);
    for (const client of [old, later]) client.close();
  });

  test('what a call is under one search path, it is not under another', async () => {
    const { database, reader } = relayed;
    await database.query(`CREATE TABLE plainly (id int PRIMARY KEY); CREATE SCHEMA before; GRANT USAGE ON SCHEMA before TO ${reader.name};
      GRANT INSERT ON plainly TO ${reader.name};
      CREATE FUNCTION same(int) RETURNS int LANGUAGE internal IMMUTABLE AS 'int4up';
      CREATE FUNCTION before.same(int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN $1; END'`);
    const write = (id: number) => `INSERT INTO plainly VALUES (same(${id}))`;
    // the objects that the first write creates for the table count as changes by users, too
    for (const id of [1, 2, 3]) {
      const client = await relayed.connect();
      assert.is((await sentFor(client, write(id))).error, null);
      client.close();
    }
    const other = await relayed.connect();
    await sentFor(other, 'SET search_path = before, public');
    assert.is((await sentFor(other, write(4))).error, '0A000');
    other.close();
  });

  test('what was put aside in a session is not taken for staged', async () => {
    const { daemon, database } = relayed;
    await database.query(`CREATE TABLE kept (id int PRIMARY KEY, v int, w text);
      GRANT SELECT ON kept TO ${relayed.reader.name}`);
    const session = await daemon.newSession({ reads: 'staged' });
    const before = await relayed.connect(session);
    assert.is((await sentFor(before, `INSERT INTO kept VALUES (4, 4, 'w')`)).error, null);
    before.close();
    await database.query('ALTER TABLE kept DROP COLUMN w');
    await daemon.call('GET', `/sessions/${session}/conflicts`);
    const other = await relayed.connect(await daemon.newSession({ reads: 'staged' }));
    for (const text of ['INSERT INTO kept VALUES (5, 5)', 'SELECT * FROM kept'])
      assert.is((await sentFor(other, text)).error, null);
    // the objects that were rebuilt for the table count as changes by users, which clear what was learned
    await until(async () => {
      assert.is((await sentFor(other, 'SELECT * FROM kept')).error, null);
      const asking = await relayed.connect(await daemon.newSession({ reads: 'staged' }));
      const { sent } = await sentFor(asking, 'SELECT * FROM kept');
      asking.close();
      return !sent.includes('stage.resolve_relations');
    });
    const again = await relayed.connect(session);
    for (const text of ['SELECT * FROM kept', 'INSERT INTO kept VALUES (6, 6)'])
      assert.is((await sentFor(again, text)).error, '55006', text);
    other.close();
    again.close();
  });
});

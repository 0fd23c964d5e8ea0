/** BEFORE triggers that draw keys from counters: answers, what is read, and what the approval leaves are as they are directly. */
import type { JsonObject } from '../../src/model/json.ts';
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/numbered-keys.sql');

suite('keys that triggers draw from counters', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);
});

const schemaOfLogs = `
CREATE TABLE counters (tenant int PRIMARY KEY, n int NOT NULL);
INSERT INTO counters VALUES (1, 0), (2, 0);
CREATE TABLE invoices (tenant int, n int, amount int, PRIMARY KEY (tenant, n));
CREATE FUNCTION number_invoice() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF NEW.n IS NULL THEN UPDATE counters SET n = n + 1 WHERE tenant = NEW.tenant RETURNING n INTO NEW.n; END IF;
  RETURN NEW;
END $f$;
CREATE TRIGGER number_invoice BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION number_invoice();
CREATE TABLE docs (id int PRIMARY KEY, title text);
CREATE TABLE doc_history (doc int PRIMARY KEY, title text);
CREATE FUNCTION next_doc() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN (random() * 1000000000)::int; END';
CREATE FUNCTION number_doc() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF NEW.id IS NULL THEN NEW.id := next_doc(); END IF;
  INSERT INTO doc_history VALUES (NEW.id, NEW.title);
  RETURN NEW;
END $f$;
CREATE TRIGGER number_doc BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION number_doc();
CREATE TABLE log ("we%ird" int PRIMARY KEY, who text);
INSERT INTO log VALUES (90, 'old'), (91, 'old');
CREATE TABLE numbered_log (id serial PRIMARY KEY, item int);
CREATE TABLE after_log (log int PRIMARY KEY);
CREATE TABLE items (id int PRIMARY KEY);
INSERT INTO items VALUES (90), (91);
CREATE FUNCTION log_item() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  -- approval does not find the name of this setting, and does not set it
  IF nullif(current_setting('app' || '.who', true), '') IS NOT NULL THEN
    IF TG_OP = 'INSERT' THEN INSERT INTO log VALUES (NEW.id, current_setting('app' || '.who')); END IF;
    IF TG_OP = 'UPDATE' THEN UPDATE log SET who = current_setting('app' || '.who') WHERE "we%ird" = NEW.id; END IF;
    IF TG_OP = 'DELETE' THEN DELETE FROM log WHERE "we%ird" = OLD.id; END IF;
  END IF;
  INSERT INTO numbered_log (item) VALUES (1);
  RETURN NULL;
END $f$;
CREATE TRIGGER log_item AFTER INSERT OR UPDATE OR DELETE ON items FOR EACH ROW EXECUTE FUNCTION log_item();
CREATE FUNCTION log_log() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO after_log VALUES (NEW.id); RETURN NULL; END';
CREATE TRIGGER log_log AFTER INSERT ON numbered_log FOR EACH ROW EXECUTE FUNCTION log_log();
`;

suite('what production does not repeat of what triggers wrote', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schemaOfLogs);
  });
  test.after(() => proxied.stop());

  const staged = async (...texts: string[]) => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(id));
    for (const text of texts) await client.query(text);
    await proxied.daemon.call('POST', `/sessions/${id}/propose`);
    return id;
  };
  const approve = (id: string) => proxied.daemon.call('POST', `/sessions/${id}/approve`);
  const differencesOf = async (id: string) => {
    const { status, body, text } = await approve(id);
    assert.is(status, 200, text);
    const found = body['differences'] as JsonObject | undefined;
    return (found?.['rows'] as JsonObject[] | undefined)?.map(
      ({ table, row_id, field, staged: before, landed }) => [table, row_id, field, before, landed],
    );
  };

  test('is another key: nothing is applied', async () => {
    const id = await staged('INSERT INTO invoices (tenant, amount) VALUES (1, 5)');
    await proxied.database.query('UPDATE counters SET n = 50 WHERE tenant = 1');
    const { status, body } = await approve(id);
    assert.equal(
      [status, body['error'], String(body['message']).replace(/^.*?: /, '')],
      [
        409,
        'apply_failed',
        'a trigger of "invoices" draws (1,51) for a row that was staged with (1,1)',
      ],
    );
    assert.equal(await proxied.database.query('SELECT n FROM counters ORDER BY tenant'), [
      { n: 50 },
      { n: 0 },
    ]);
    await proxied.database.query('UPDATE counters SET n = 0 WHERE tenant = 1');
    assert.is(await differencesOf(id), undefined);
    assert.equal(
      await proxied.database.query(
        'SELECT c.n, i.n AS of FROM counters c JOIN invoices i USING (tenant)',
      ),
      [{ n: 1, of: 1 }],
    );
  });

  test('is no random key that a function draws: it is handed on', async () => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(id));
    const { rows } = await client.query("INSERT INTO docs (title) VALUES ('a'), ('b') RETURNING *");
    await proxied.daemon.call('POST', `/sessions/${id}/propose`);
    assert.is(await differencesOf(id), undefined);
    for (const [table, key] of [
      ['docs', 'id'],
      ['doc_history', 'doc'],
    ])
      assert.equal(
        await proxied.database.query(`SELECT ${key} AS id, title FROM ${table} ORDER BY title`),
        rows,
      );
  });

  test('is told: rows that are not inserted, changed and deleted', async () => {
    const id = await staged(
      "SET app.who = 'ann'",
      'INSERT INTO items VALUES (1)',
      'UPDATE items SET id = id WHERE id = 90',
      'DELETE FROM items WHERE id = 91',
    );
    await proxied.database.query('UPDATE log SET who = \'other\' WHERE "we%ird" = 90');
    assert.equal(await differencesOf(id), [
      ['log', 1, 'we%ird', 1, null],
      ['log', 1, 'who', 'ann', null],
      ['log', 90, 'who', 'ann', 'other'],
      ['log', 91, 'we%ird', null, 91],
      ['log', 91, 'who', null, 'old'],
    ]);
    assert.equal(await proxied.database.query('SELECT count(*)::int AS n FROM numbered_log'), [
      { n: 3 },
    ]);
  });

  test('is nothing where it does', async () => {
    const id = await staged('INSERT INTO items VALUES (2)', 'UPDATE items SET id = 3 WHERE id = 2');
    assert.is(await differencesOf(id), undefined);
  });
});

/** A policy checks the rows that approval gives production where triggers fire while rows are staged, and nothing else. */
import { beforePolicy } from '../helpers/before-policy.ts';
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

suite('rest: policy and triggers', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
    await rest.database.query(`
      CREATE TABLE items (id int PRIMARY KEY, price numeric, stock int); INSERT INTO items VALUES (1, 1, 1);
      CREATE TABLE kept (id int PRIMARY KEY, price numeric, stock int); INSERT INTO kept VALUES (1, 1, 1);
      CREATE TABLE item_log (item int, stock int, PRIMARY KEY (item, stock));
      CREATE FUNCTION log_item() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO public.item_log VALUES (NEW.id, NEW.stock); RETURN NULL; END';
      CREATE TRIGGER log AFTER UPDATE ON items FOR EACH ROW EXECUTE FUNCTION log_item();
      CREATE FUNCTION keep_price() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.price := OLD.price; RETURN NEW; END';
      CREATE TABLE totals (id int PRIMARY KEY, total int); INSERT INTO totals VALUES (1, 0);
      CREATE TABLE lines (id int PRIMARY KEY, amount int);
      CREATE FUNCTION add_line() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN UPDATE public.totals SET total = total + NEW.amount WHERE id = 1; RETURN NULL; END';
      CREATE TRIGGER add AFTER INSERT ON lines FOR EACH ROW EXECUTE FUNCTION add_line();
      CREATE TRIGGER keep BEFORE UPDATE ON kept FOR EACH ROW EXECUTE FUNCTION keep_price()`);
  });
  test.after(() => rest.stop());

  const set = async (rule: object) => {
    const document = { rules: [{ name: 'r', ...rule }] };
    const sent: Sent = { json: { document }, headers: { 'if-match': '*' } };
    assert.is((await rest.call('PUT', '/policy', sent)).status, 200);
  };
  const propose = async (...statements: string[]) => {
    const id = await rest.newSession();
    await beforePolicy(rest.database, async () => {
      for (const statement of statements) await rest.write(id, statement);
    });
    return { id, ...(await rest.call('POST', `/sessions/${id}/propose`)) };
  };

  test('rows that a trigger inserts are not counted: production inserts them', async () => {
    await set({ tables: ['item_log'], deny: ['insert'] });
    const { id, status } = await propose('UPDATE items SET stock = 2 WHERE id = 1');
    const staged = `SELECT s._stage_origin::text AS origin FROM stage_data.shadow_${await oidOf('item_log')} s`;
    assert.equal(await rest.database.query(staged), [{ origin: 'trigger' }]);
    assert.is(status, 200);
    const { body } = await rest.call('GET', `/sessions/${id}/policy`);
    assert.equal(body.verdicts, []);
    const both = await propose('UPDATE items SET stock = 3', 'INSERT INTO item_log VALUES (1, 1)');
    assert.match(both.body.message, /no insert in item_log: the session has 1$/);
  });

  test('a column that a trigger sets back is given to production all the same', async () => {
    await set({ tables: ['kept'], deny_columns: ['price'] });
    assert.is((await propose('UPDATE kept SET stock = 2')).status, 200);
    const refused = await propose('UPDATE kept SET stock = 2, price = 5');
    assert.is(refused.body.violations?.[0].says, 'no update of kept.price: the session updates it');
    const hidden = ['UPDATE kept SET stock = 2, price = 5', 'UPDATE kept SET stock = 3'];
    assert.is((await propose(...hidden)).status, 409);
  });

  test('a column that the client sets back after a trigger is one that it updates', async () => {
    await set({ tables: ['totals'], deny_columns: ['total'] });
    const line = 'INSERT INTO lines VALUES (1, 5)';
    const refused = await propose(line, 'UPDATE totals SET total = 0');
    assert.is(
      refused.body.violations?.[0].says,
      'no update of totals.total: the session updates it',
    );
    assert.is(
      (await propose(line, 'UPDATE totals SET total = 0', 'INSERT INTO lines VALUES (2, 5)'))
        .status,
      409,
    );
    const id = await rest.newSession();
    await rest.write(id, line);
    const failed = await rejects(rest.write(id, 'UPDATE totals SET total = 0'));
    assert.is(failed.code, '42501');
    assert.is((await propose(line)).status, 200);
  });

  const oidOf = async (table: string) =>
    (await rest.database.query(`SELECT '${table}'::regclass::oid AS oid`))[0]?.['oid'];
});

/** Triggers that handle errors: they handle those that they expect, and no refusal of the service. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const handling = (table: string, conditions: string) => `
CREATE TABLE ${table} (id int PRIMARY KEY);
CREATE FUNCTION ${table}_log() RETURNS trigger LANGUAGE plpgsql AS $f$DECLARE others int := 0; BEGIN
  CASE NEW.id WHEN others THEN NULL; ELSE NULL; END CASE;
  BEGIN INSERT INTO log (id, what) VALUES (NEW.id, TG_NAME); EXCEPTION WHEN ${conditions} THEN NULL; END;
  RETURN NULL; END$f$;
CREATE TRIGGER ${table}_log AFTER INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_log();
`;
const plain = `
CREATE TABLE items (id int PRIMARY KEY);
CREATE FUNCTION items_log() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN
  BEGIN INSERT INTO log (id, what) VALUES (NEW.id, TG_NAME); EXCEPTION WHEN OTHERS THEN NULL; END;
  RETURN NULL; END$f$;
CREATE TRIGGER items_log AFTER INSERT ON items FOR EACH ROW EXECUTE FUNCTION items_log();
`;
const schema = [
  'CREATE TABLE log (id int PRIMARY KEY, what text); INSERT INTO log VALUES (1, $$first$$);',
  plain,
  handling('quoted', '"others"'),
  handling('named', 'insufficient_privilege'),
].join('');

suite('triggers that handle errors', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test('handle no refusal of the service, and each error that they expect', async () => {
    const role = await createRole(
      proxied.database,
      'GRANT SELECT, INSERT ON items TO $role; GRANT SELECT, INSERT (id, what) ON log TO $role',
    );
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const open = (...login: string[]) => proxied.connect(proxied.daemon.clientUrl(id, ...login));
    const client = await open();
    await client.query('INSERT INTO items VALUES (1), (2)');
    const { rows } = await client.query('SELECT id, what FROM log ORDER BY id');
    assert.equal(rows, [
      { id: 1, what: 'first' },
      { id: 2, what: 'items_log' },
    ]);
    // rights to columns suffice in PostgreSQL, but not for what triggers stage
    const theirs = await open(role.name, role.name);
    const error = await rejects(theirs.query('INSERT INTO items VALUES (3)'));
    assert.is(error.code, '42501');
    await theirs.end();
    await role.drop();
  });

  for (const table of ['quoted', 'named'])
    test(`do not fire while staging where they could handle one (${table})`, async () => {
      const id = await proxied.daemon.newSession({ reads: 'staged' });
      const client = await proxied.connect(proxied.daemon.clientUrl(id));
      await client.query(`INSERT INTO ${table} VALUES (5)`);
      assert.equal((await client.query('SELECT id FROM log WHERE id = 5')).rows, []);
    });
});

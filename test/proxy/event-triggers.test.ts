/** Event triggers run when the service creates its objects: a trigger that logs DDL is no obstacle, and one that forbids DDL is named. */
import type { DatabaseError } from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, v int); INSERT INTO item VALUES (1, 1);
CREATE TABLE other (id int PRIMARY KEY);
CREATE TABLE ddl_log (tag text);
CREATE FUNCTION log_ddl() RETURNS event_trigger LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO public.ddl_log VALUES (tg_tag); END $$;
CREATE EVENT TRIGGER log_ddl ON ddl_command_end EXECUTE FUNCTION log_ddl();
CREATE FUNCTION refuse_ddl() RETURNS event_trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE 'change freeze: % not allowed', tg_tag; END $$;`;

suite('event triggers of the database', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test('stages beside one that logs, and names one that forbids', async () => {
    const { daemon, database } = proxied;
    const id = await daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(daemon.clientUrl(id));
    assert.is((await client.query('UPDATE item SET v = 2')).rowCount, 1);
    await database.query(
      'CREATE EVENT TRIGGER no_ddl ON ddl_command_start EXECUTE FUNCTION refuse_ddl()',
    );
    const error = await client.query('INSERT INTO other VALUES (1)').then(
      () => null,
      (cause: DatabaseError) => cause,
    );
    assert.is(error?.code, 'P0001');
    assert.match(String(error?.message), 'change freeze');
    assert.match(String(error?.hint), 'event triggers');
    // tables that have their objects already still work
    assert.is((await client.query('UPDATE item SET v = v + 1')).rowCount, 1);
    await daemon.call('POST', `/sessions/${id}/propose`);
    const answer = await daemon.call('POST', `/sessions/${id}/approve`);
    assert.is(answer.status, 200, answer.text);
    assert.equal(await database.query('SELECT v FROM item'), [{ v: 3 }]);
    await database.query('DROP EVENT TRIGGER no_ddl');
  });
});

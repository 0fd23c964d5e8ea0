/** Briefs count what production's triggers wrote while rows were staged, and name no trigger of a hidden table. */
import { briefLines } from '../../src/client/brief-words.ts';
import type { Database } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import { readBrief } from '../../src/review/brief/brief.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE items (id int PRIMARY KEY, price int);
INSERT INTO items SELECT g, g FROM generate_series(1, 9) g;
CREATE TABLE history (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item int, note text);
CREATE TABLE totals (id int PRIMARY KEY, changes int);
INSERT INTO totals VALUES (1, 0), (2, 0);
CREATE FUNCTION log_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO history (item, note) VALUES (NEW.id, 'was ' || OLD.price);
  UPDATE totals SET changes = changes + 1 WHERE id = 1;
  RETURN NULL;
END $$;
CREATE TRIGGER "log me" AFTER UPDATE ON items FOR EACH ROW EXECUTE FUNCTION log_item();
CREATE FUNCTION clear_total() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN DELETE FROM totals WHERE id = 2; RETURN NULL; END $$;
CREATE TRIGGER clear_total AFTER INSERT ON items FOR EACH ROW EXECUTE FUNCTION clear_total();`;

suite('briefs of what triggers wrote', (test) => {
  let proxied: Proxied;
  let service: Database;
  test.before(async () => {
    proxied = await startProxied(schema);
    service = createDatabase({ url: proxied.database.url });
  });
  test.after(async () => {
    await service.close();
    await proxied.stop();
  });

  const staged = async (statements: readonly string[], ...login: string[]): Promise<string> => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(id, ...login));
    for (const statement of statements) await client.query(statement);
    return id;
  };
  const sentences = async (id: string, readableOnly = false) => {
    const rules = { readableOnly, ownOnly: false, sensitiveColumns: [] };
    return briefLines(await readBrief(service, id, rules));
  };

  test('count rows by trigger, and not those that the client wrote', async () => {
    const id = await staged([
      'UPDATE items SET price = 0 WHERE id <= 4',
      `INSERT INTO history (item, note) VALUES (1, 'by hand')`,
      'INSERT INTO items VALUES (10, 1)',
    ]);
    const lines = await sentences(id);
    const after = (table: string) => {
      const from = lines.findIndex((line) => line.startsWith(`${table}: `)) + 1;
      const rest = lines.slice(from);
      const end = rest.findIndex((line) => !line.startsWith('  '));
      return rest.slice(0, end < 0 ? undefined : end).filter((line) => line.includes('along'));
    };
    assert.equal(after('history'), ['  4 rows inserted along, by the trigger "log me" of items']);
    assert.equal(after('totals'), [
      '  1 row deleted along, by the trigger clear_total of items',
      '  1 row updated along, by the trigger "log me" of items',
    ]);
    assert.equal(after('items'), []);
    assert.ok(lines.includes('history: 5 inserted, 0 updated, 0 deleted'), lines.join('\n'));
  });

  test('name no trigger of a table that may not be read any more', async () => {
    const clerk = await createRole(
      proxied.database,
      'GRANT SELECT, UPDATE ON items, totals TO $role; GRANT SELECT, INSERT ON history TO $role',
    );
    try {
      const id = await staged(['UPDATE items SET price = 0 WHERE id = 5'], clerk.name, clerk.name);
      const named = '  1 row inserted along, by the trigger "log me" of items';
      assert.ok((await sentences(id, true)).includes(named));
      await proxied.database.query(`REVOKE SELECT ON items FROM ${clerk.name}`);
      const lines = await sentences(id, true);
      assert.ok(lines.includes('history: 1 inserted, 0 updated, 0 deleted'), lines.join('\n'));
      assert.not.match(lines.join('\n'), /log me/);
      assert.ok((await sentences(id)).includes(named));
    } finally {
      await clerk.drop();
    }
  });
});

/** Tables whose BEFORE triggers fire for roles without rights to the sequences of identity columns. */

import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = ['always', 'by_default', 'policed']
  .map(
    (name) => `
CREATE TABLE ${name} (id int GENERATED ${name === 'by_default' ? 'BY DEFAULT' : 'ALWAYS'} AS IDENTITY PRIMARY KEY, n int, g int GENERATED ALWAYS AS (n * 2) STORED);
CREATE FUNCTION ${name}_f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.n := NEW.n + NEW.id; RETURN NEW; END';
CREATE TRIGGER f BEFORE INSERT ON ${name} FOR EACH ROW EXECUTE FUNCTION ${name}_f();`,
  )
  .join('');
const policy =
  'ALTER TABLE policed ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON policed USING (n < 90)';

suite('identity columns of tables with triggers', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema + policy);
  });
  test.after(() => proxied.stop());

  for (const name of ['always', 'by_default', 'policed'])
    test(`are filled for a role that may not use their sequences (${name})`, async () => {
      const role = await createRole(proxied.database, `GRANT ALL ON ${name} TO $role`);
      const session = await proxied.daemon.newSession({ reads: 'staged' });
      const client = await proxied.connect(proxied.daemon.clientUrl(session, role.name, role.name));
      const rows = async (text: string) => (await client.query(text)).rows;
      assert.equal(await rows(`INSERT INTO ${name} (n) VALUES (10), (20) RETURNING *`), [
        { id: 1, n: 11, g: 22 },
        { id: 2, n: 22, g: 44 },
      ]);
      const upsert = `INSERT INTO ${name} (n) VALUES (30) ON CONFLICT (id) DO UPDATE SET n = 0 RETURNING *`;
      assert.equal(await rows(upsert), [{ id: 3, n: 33, g: 66 }]);
      const given = `INSERT INTO ${name} (id, n) OVERRIDING SYSTEM VALUE VALUES (9, 1) RETURNING id, n`;
      assert.equal(await rows(given), [{ id: 9, n: 10 }]);
      const drawn = `INSERT INTO ${name} (id, n) OVERRIDING USER VALUE VALUES (99, 1) RETURNING id, n`;
      assert.equal(await rows(drawn), [{ id: 4, n: 5 }]);
      if (name !== 'by_default')
        assert.is(
          (await rejects(client.query(`INSERT INTO ${name} (id) VALUES (7)`))).code,
          '428C9',
        );
      if (name === 'policed') {
        assert.is(
          (await rejects(client.query(`INSERT INTO ${name} (n) VALUES (95)`))).code,
          '42501',
        );
        assert.equal(await rows(`INSERT INTO ${name} (n) VALUES (1) RETURNING id`), [{ id: 6 }]);
      }
      await client.end();
      await role.drop();
    });
});

/** A table to which more foreign keys refer than a function has arguments: it is staged, and changes of any of them are noticed. */
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

/** PostgreSQL's functions have at most 100 arguments. */
const count = 101;
const schema = `
CREATE TABLE org (id int PRIMARY KEY, name text);
DO $$ BEGIN FOR n IN 1..${count} LOOP
  EXECUTE format('CREATE TABLE part_%s (id int PRIMARY KEY, org int CONSTRAINT in_org REFERENCES org)', n);
END LOOP; END $$;
INSERT INTO org VALUES (1, 'a');
INSERT INTO part_${count} VALUES (1, 1);
`;

suite('many references', (test) => {
  test('do not keep a table from being staged', async () => {
    const proxied = await startProxied(schema);
    try {
      const client = await proxied.connect(await proxied.session('staged'));
      await client.query(`INSERT INTO org VALUES (2, 'b'); INSERT INTO part_1 VALUES (1, 2)`);
      const remove = (id: number) => rejects(client.query('DELETE FROM org WHERE id = $1', [id]));
      assert.match((await remove(2)).message, /"in_org" on table "part_1"$/);
      assert.match((await remove(1)).message, new RegExp(`"in_org" on table "part_${count}"$`));
      await proxied.database.query(`ALTER TABLE part_${count} RENAME CONSTRAINT in_org TO of_org`);
      assert.match((await remove(1)).message, new RegExp(`"of_org" on table "part_${count}"$`));
    } finally {
      await proxied.stop();
    }
  });
});

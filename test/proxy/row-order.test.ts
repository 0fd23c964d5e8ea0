/** Staged rows of a table without a key come back as PostgreSQL returns its own: in the order in which they were written. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE loose (name text, n int);
INSERT INTO loose VALUES ('old', 0), ('older', 1);
CREATE TABLE indexed (name text, n int);
CREATE INDEX ON indexed (name);
`;

const statements = [
  `INSERT INTO loose VALUES ('z', 1), ('b', 2), ('k', 3), ('a', 4), ('y', 5)`,
  `INSERT INTO loose SELECT 'a' || g, g FROM generate_series(1, 8) g`,
  `UPDATE loose SET name = 'new' WHERE n = 2`,
  `DELETE FROM loose WHERE n = 4`,
  `UPDATE loose SET n = n + 1 WHERE name = 'old'`,
  `INSERT INTO indexed SELECT md5(g::text), g FROM generate_series(1, 2000) g`,
];
const reads = ['loose', 'indexed'].flatMap((table) => [
  `SELECT * FROM ${table}`,
  `SELECT name FROM ${table} WHERE n < 900 LIMIT 100`,
  `SELECT array_agg(n) FROM ${table} WHERE n <> 3`,
]);

suite('the order of staged rows', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test('of a table without a key is that in which they were written', async () => {
    const staged = await proxied.connect(await proxied.session('staged'));
    const direct = await proxied.connect(proxied.twin.url);
    const compare = async () => {
      for (const read of reads) {
        const rows = await Promise.all(
          [staged, direct].map(async (each) => (await each.query(read)).rows),
        );
        assert.equal(rows[0], rows[1], read);
      }
    };
    for (const statement of statements) {
      for (const each of [staged, direct]) await each.query(statement);
      await compare();
    }
    await proxied.database.query(`DO $$ DECLARE t text; BEGIN
      FOR t IN SELECT oid::regclass FROM pg_class WHERE relname LIKE 'shadow\\_%' LOOP EXECUTE 'ANALYZE ' || t; END LOOP; END $$`);
    await compare();
  });
});

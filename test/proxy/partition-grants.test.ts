/** A named partition has its own grants and policies. Those of its table do not apply. */
import { assertSameAs, createRole, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { suite } from '../helpers/suite.ts';

const ofPart = testRole('of_part');
const ofRoot = testRole('of_root');
const both = `${ofPart.name}, ${ofRoot.name}`;

const schema = `
CREATE TABLE t (id int, k int, v text, CONSTRAINT id_max CHECK (id < 1000), PRIMARY KEY (id, k)) PARTITION BY RANGE (k);
CREATE TABLE t_low PARTITION OF t FOR VALUES FROM (0) TO (10); CREATE TABLE t_high (v text, k int NOT NULL, id int NOT NULL, CONSTRAINT id_max CHECK (id < 1000)); ALTER TABLE t ATTACH PARTITION t_high FOR VALUES FROM (10) TO (20);
CREATE TABLE of_t (t int, k int, FOREIGN KEY (t, k) REFERENCES t ON DELETE CASCADE);
CREATE TABLE p (id int, k int, v text, PRIMARY KEY (id, k)) PARTITION BY LIST (k); CREATE TABLE p_1 PARTITION OF p FOR VALUES IN (1); CREATE TABLE p_2 PARTITION OF p FOR VALUES IN (2);
INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 13, 'c'); INSERT INTO of_t VALUES (1, 1); INSERT INTO p VALUES (1, 1, 'mine'), (2, 1, 'theirs'), (3, 2, 'mine'), (4, 2, 'theirs');
ALTER TABLE p_1 ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON p_1 USING (v = 'mine') WITH CHECK (v <> 'never');
ALTER TABLE p ENABLE ROW LEVEL SECURITY; CREATE POLICY of_p ON p USING (id > 2);
GRANT SELECT, INSERT, UPDATE, DELETE ON t_low TO ${ofPart.name}; GRANT SELECT, INSERT (v, k, id), UPDATE (v) ON t_high TO ${ofPart.name};
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON t TO ${ofRoot.name}; GRANT SELECT, INSERT, UPDATE, DELETE ON p, p_1, p_2 TO ${both};`;

const written = ['t_low', 't_high', 't'].flatMap((name) => [
  `INSERT INTO ${name} (id, k, v) VALUES (5, 5, 'x') RETURNING id`,
  `INSERT INTO ${name} (id, k, v) VALUES (6, 16, 'x')`,
  `INSERT INTO ${name} (id, k, v) VALUES (1000, 1, 'x')`,
  `UPDATE ${name} SET v = 'y' WHERE id = 3 RETURNING *`,
  `UPDATE ${name} SET k = k + 1 WHERE id = 3`,
  `UPDATE ${name} SET v = 'z' WHERE id = 1`,
  `INSERT INTO ${name} (id, k, v) VALUES (1, 1, 'x') ON CONFLICT DO NOTHING`,
  `DELETE FROM ${name} WHERE id = 1`,
  `SELECT * FROM ${name}`,
]);

const secured = ['p_1', 'p_2', 'p'].flatMap((name) => [
  `SELECT * FROM ${name}`,
  `INSERT INTO ${name} VALUES (10, 1, 'mine')`,
  `INSERT INTO ${name} VALUES (11, 1, 'theirs')`,
  `INSERT INTO ${name} VALUES (12, 1, 'never')`,
  `INSERT INTO ${name} VALUES (${name === 'p' ? 14 : 13}, 2, 'mine')`,
  `INSERT INTO ${name} VALUES (1, 1, 'mine')`,
  `UPDATE ${name} SET v = v || '!' WHERE id < 3`,
  `UPDATE ${name} SET v = 'theirs' WHERE id = 1`,
  `UPDATE ${name} SET v = 'x' WHERE id IN (2, 4)`,
  `DELETE FROM ${name} WHERE id IN (2, 3)`,
  `SELECT * FROM ${name}`,
]);

suite('grants and policies of partitions', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query(createRole(ofPart) + createRole(ofRoot));
    for (const database of [proxied.database, proxied.twin]) await database.query(schema);
  });
  test.after(async () => {
    for (const { query } of [proxied.database, proxied.twin]) await query(`DROP OWNED BY ${both}`);
    await proxied.database.query(`DROP ROLE ${both}`);
    await proxied.stop();
  });

  const tell = async (role: typeof ofPart, statements: readonly string[]) =>
    assertSameAs(proxied, role, await proxied.daemon.newSession({ reads: 'staged' }), statements);

  test('a role that may write partitions alone', () => tell(ofPart, written));
  test('a role that may write the table alone', () => tell(ofRoot, written));
  test('policies of a partition, and those of its table', () => tell(ofPart, secured));
});

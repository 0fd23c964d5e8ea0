/** Row-level security on a table of more columns than a call has arguments, and on its partitions. */
import { assertSameAs, createRole, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const [ann, bob] = [testRole('ann'), testRole('bob')];
const columns = Array.from({ length: 130 }, (_, index) => `c${index} int DEFAULT ${index}`);
const policies = (table: string) => `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON ${table} USING (who = current_user) WITH CHECK (who = current_user AND c129 < 1000);
CREATE POLICY open ON ${table} FOR SELECT USING (c7 = 0 OR total > 500);
CREATE POLICY short ON ${table} AS RESTRICTIVE FOR UPDATE USING (c100 < 1000);`;

const schema = `
CREATE DOMAIN small AS int CHECK (VALUE < 90000);
CREATE TABLE wide (id int PRIMARY KEY, who text NOT NULL DEFAULT current_user, ${columns.join(', ')}, s small DEFAULT 3,
  total int GENERATED ALWAYS AS (c0 + c128) STORED);
CREATE TABLE parts (who text NOT NULL DEFAULT current_user, ${columns.join(', ')}, total int, id int, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE low (id int NOT NULL, total int, ${columns.toReversed().join(', ')}, who text NOT NULL DEFAULT current_user);
ALTER TABLE parts ATTACH PARTITION low FOR VALUES FROM (0) TO (100);
CREATE TABLE rest PARTITION OF parts DEFAULT;
${['wide', 'parts', 'low'].map(policies).join('')}
INSERT INTO wide (id, who, c7, c0) VALUES (1, '${ann.name}', 7, 0), (2, '${bob.name}', 0, 0), (3, '${bob.name}', 7, 600), (4, '${bob.name}', 7, 0);
INSERT INTO parts (id, who, c7, total) VALUES (1, '${ann.name}', 7, 0), (2, '${bob.name}', 0, 0), (3, '${bob.name}', 7, 600), (104, '${bob.name}', 7, 0);
GRANT SELECT, INSERT, UPDATE, DELETE ON wide, parts, low TO ${ann.name}, ${bob.name};`;

const story = (table: string) => [
  `SELECT id, who, c129, total FROM ${table} ORDER BY id`,
  `INSERT INTO ${table} (id, c5) VALUES (5, 55) RETURNING id, who, c5, c129`,
  `INSERT INTO ${table} (id, who) VALUES (6, 'nobody')`,
  `INSERT INTO ${table} (id, c129) VALUES (6, 2000)`,
  `UPDATE ${table} SET c129 = 500, c100 = 1000 RETURNING id, c129`,
  `UPDATE ${table} SET c129 = 501`,
  `UPDATE ${table} SET who = 'nobody' WHERE id = 5`,
  `INSERT INTO ${table} (id) VALUES (5) ON CONFLICT (id) DO UPDATE SET c1 = 9`,
  `INSERT INTO ${table} (id) VALUES (7) ON CONFLICT (id) DO UPDATE SET c1 = 9 RETURNING id, c1`,
  `SELECT count(*), sum(c129), sum(c1) FROM ${table}`,
  `DELETE FROM ${table} WHERE c5 IN (5, 55) RETURNING id`,
  `SELECT id FROM ${table}`,
];

suite('row-level security on wide tables', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
    await proxied.database.query(createRole(ann) + createRole(bob));
    for (const side of [proxied.database, proxied.twin]) await side.query(schema);
  });
  test.after(async () => {
    const names = `${ann.name}, ${bob.name}`;
    for (const side of [proxied.twin, proxied.database]) await side.query(`DROP OWNED BY ${names}`);
    await proxied.database.query(`DROP ROLE ${names}`);
    await proxied.stop();
  });

  for (const table of ['wide', 'parts', 'low'])
    for (const role of [ann, bob])
      test(`${table}, as ${role === ann ? 'ann' : 'bob'}: as in PostgreSQL`, async () => {
        const session = await proxied.daemon.newSession({ reads: 'staged' });
        for (const text of story(table)) await assertSameAs(proxied, role, session, [text]);
        const writes = story(table).filter((text) => !/nobody|2000/.test(text));
        await assertSameAs(proxied, role, session, writes);
      });

  test('rows of one role are staged, hidden from the other, and approved', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const url = (of: typeof ann) => proxied.daemon.clientUrl(session, of.name, of.password);
    const client = await proxied.connect(url(ann));
    await client.query('UPDATE wide SET c128 = 77');
    await client.query('INSERT INTO low (id) VALUES (9)');
    const other = await proxied.connect(url(bob));
    assert.equal(await outcomeOf(other, 'SELECT id FROM wide WHERE c128 = 77'), {
      tag: 'SELECT 0',
      rows: [],
    });
    assert.equal(await outcomeOf(other, 'SELECT id FROM parts WHERE id = 9'), {
      tag: 'SELECT 0',
      rows: [],
    });
    for (const path of ['propose', 'approve']) {
      const { status, text } = await proxied.daemon.call('POST', `/sessions/${session}/${path}`);
      assert.is(status, 200, text);
    }
    assert.equal(await proxied.database.query('SELECT id, c128 FROM wide WHERE c128 = 77'), [
      { id: 1, c128: 77 },
    ]);
    assert.equal(await proxied.database.query('SELECT id, who FROM low WHERE id = 9'), [
      { id: 9, who: ann.name },
    ]);
  });
});

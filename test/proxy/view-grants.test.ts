/** A role that may not read a view or a partition gets PostgreSQL's error in staged reads, too, also after SET ROLE. */
import { assertSameAs, createRole, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const reader = testRole('grants');
const other = testRole('ungranted');

const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text);
CREATE TABLE part (id int PRIMARY KEY, v text) PARTITION BY RANGE (id); CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (0) TO (10);
CREATE TABLE base (id int PRIMARY KEY); CREATE TABLE derived (PRIMARY KEY (id)) INHERITS (base);
CREATE VIEW granted AS SELECT * FROM item; CREATE VIEW withheld AS SELECT * FROM item; CREATE VIEW over AS SELECT * FROM withheld;
INSERT INTO item VALUES (1, 'one'); INSERT INTO part VALUES (1, 'one'); INSERT INTO base VALUES (1); INSERT INTO derived VALUES (2);
GRANT SELECT, INSERT ON item TO ${reader.name}, ${other.name}; GRANT SELECT ON part, granted, over TO ${reader.name}; GRANT SELECT ON withheld, part_low TO ${other.name};`;

const reads = ['granted', 'withheld', 'over', 'part', 'part_low', 'base'].map(
  (name) => `SELECT count(*) FROM ${name}`,
);

suite('grants of views in staged reads', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query(`${createRole(reader)} ${createRole(other)}`);
    for (const database of [proxied.database, proxied.twin]) await database.query(schema);
    const client = await proxied.connect(await proxied.session('staged'));
    await client.query(
      `INSERT INTO item VALUES (2, 'two'); INSERT INTO part VALUES (2, 'two'); INSERT INTO base VALUES (3); INSERT INTO derived VALUES (4)`,
    );
  });
  test.after(async () => {
    for (const database of [proxied.database, proxied.twin])
      await database.query(`DROP OWNED BY ${reader.name}, ${other.name}`);
    await proxied.database.query(`DROP ROLE ${reader.name}, ${other.name}`);
    await proxied.stop();
  });

  test('a role that may read all', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    await assertSameAs(proxied, null, session, [`INSERT INTO item VALUES (7, 'seven')`, ...reads]);
  });

  test('a view without a grant', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    await assertSameAs(proxied, reader, session, [
      `INSERT INTO item VALUES (7, 'seven')`,
      ...reads,
      'SELECT g.id FROM granted g JOIN withheld USING (id)',
      `INSERT INTO item SELECT id + 10, name FROM withheld`,
    ]);
  });

  test('a role that is granted, or taken away, between two statements', async () => {
    const [client, direct] = [
      await proxied.connect(
        proxied.daemon.clientUrl(
          await proxied.daemon.newSession({ reads: 'staged' }),
          reader.name,
          reader.password,
        ),
      ),
      await proxied.connect(proxied.twin.urlFor(reader.name, reader.password)),
    ];
    const assertAlike = async () => {
      for (const read of reads)
        assert.equal(
          JSON.stringify(await outcomeOf(client, read)),
          JSON.stringify(await outcomeOf(direct, read)),
          read,
        );
    };
    for (const each of [client, direct]) await each.query(`INSERT INTO item VALUES (9, 'nine')`);
    await assertAlike();
    await proxied.database.query(`GRANT ${other.name} TO ${reader.name}`);
    await assertAlike();
    await proxied.database.query(`REVOKE ${other.name} FROM ${reader.name}`);
    await assertAlike();
  });
});

/**
 * FOR UPDATE and the like need the right to UPDATE, as in PostgreSQL, though the clause is not sent: in both modes of reading and protocols.
 * A role that may only read may lock, because it may stage.
 */
import { createRole, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, run, runScript, s } from '../helpers/wire-script.ts';

const reader = testRole('reader');
const schema = `
CREATE TABLE mine (id int PRIMARY KEY, n int); INSERT INTO mine VALUES (1, 1);
CREATE TABLE shown (id int PRIMARY KEY, n int); INSERT INTO shown VALUES (1, 2);
CREATE TABLE partly (id int PRIMARY KEY, n int); INSERT INTO partly VALUES (1, 3);
CREATE TABLE other (id int PRIMARY KEY, n int); INSERT INTO other VALUES (1, 3);
CREATE VIEW seen AS SELECT * FROM mine;
CREATE TABLE only_read (id int PRIMARY KEY, n int); INSERT INTO only_read VALUES (1, 5); GRANT SELECT ON only_read TO ${reader.name};
GRANT ALL ON mine, other TO ${reader.name}; GRANT SELECT, INSERT ON shown, seen TO ${reader.name};
GRANT SELECT, UPDATE (n) ON partly TO ${reader.name};`;

const locking = [
  'SELECT * FROM mine FOR UPDATE',
  'SELECT * FROM shown FOR UPDATE',
  'SELECT * FROM shown FOR KEY SHARE',
  'SELECT * FROM public.shown s FOR NO KEY UPDATE NOWAIT',
  'SELECT * FROM partly FOR SHARE',
  'SELECT * FROM seen FOR UPDATE',
  'SELECT m.id FROM mine m JOIN shown s ON s.id = m.id FOR UPDATE',
  'SELECT m.id FROM mine m JOIN shown s ON s.id = m.id FOR UPDATE OF m',
  'SELECT m.id FROM mine m JOIN shown s ON s.id = m.id FOR UPDATE OF m, s',
  'SELECT x.id FROM (SELECT s.id FROM mine JOIN shown s USING (id)) x JOIN mine m USING (id) FOR UPDATE OF x',
  'SELECT x.id FROM (SELECT id FROM shown) x FOR UPDATE',
  'SELECT x.id FROM mine, (SELECT id FROM shown) x FOR UPDATE OF mine',
  'SELECT id FROM mine WHERE id IN (SELECT id FROM shown FOR UPDATE)',
  'SELECT id FROM mine WHERE id IN (SELECT id FROM shown) FOR UPDATE',
  'WITH shown AS (SELECT * FROM mine) SELECT * FROM shown FOR UPDATE',
  'WITH w AS (SELECT * FROM shown FOR UPDATE) SELECT * FROM w',
  'SELECT * FROM nowhere FOR UPDATE',
  'SELECT * FROM shown',
];

suite('the right to lock rows', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
    await proxied.database.query(createRole(reader));
    for (const { query } of [proxied.database, proxied.twin]) await query(schema);
  });
  test.after(async () => {
    for (const { query } of [proxied.twin, proxied.database])
      await query(`DROP OWNED BY ${reader.name}`);
    await proxied.database.query(`DROP ROLE ${reader.name}`);
    await proxied.stop();
  });

  const forms = {
    'in the simple protocol': locking.map(q),
    'in the extended protocol': locking.flatMap((text) => [run(text), s]),
    'in a transaction': locking.flatMap((text) => ['BEGIN', text, 'ROLLBACK'].map(q)),
    'behind a write': [
      q('BEGIN; UPDATE other SET n = 4'),
      ...locking.flatMap((text) => [q('SAVEPOINT p'), run(text), s, q('ROLLBACK TO p')]),
      q('ROLLBACK'),
    ],
    'in cursors': locking.flatMap((text) =>
      ['BEGIN', `DECLARE c CURSOR FOR ${text}`, 'FETCH c', 'ROLLBACK'].map(q),
    ),
  };
  test('is not required of a role that may only read', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const url = proxied.daemon.clientUrl(session, reader.name, reader.password);
    const staged = await proxied.connect(url);
    await staged.query('BEGIN');
    assert.equal((await staged.query('SELECT n FROM only_read FOR UPDATE')).rows, [{ n: 5 }]);
    await staged.query('UPDATE only_read SET n = 6; COMMIT');
    assert.equal((await staged.query('SELECT n FROM only_read FOR UPDATE')).rows, [{ n: 6 }]);
  });

  for (const [form, messages] of Object.entries(forms))
    for (const reads of ['production', 'staged'] as const)
      test(`is that to UPDATE them, ${form}, reads: ${reads}`, async () => {
        const { daemon, twin } = proxied;
        const session = await daemon.newSession({ reads });
        const [staged, direct] = await Promise.all(
          [
            daemon.clientUrl(session, reader.name, reader.password),
            twin.urlFor(reader.name, reader.password),
          ].map((url) => runScript(url, messages)),
        );
        assert.equal(staged, direct);
      });
});

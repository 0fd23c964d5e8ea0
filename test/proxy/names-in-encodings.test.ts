/** Names that are longer in UTF-8 than in the encoding of the database: the server cuts them elsewhere than the parser does. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';

/** The name has at most 63 bytes in the encoding, and more in UTF-8. The last one is cut in any encoding. */
const cases = [
  ['EUC_JP', '名'.repeat(30)],
  ['LATIN1', 'ü'.repeat(61)],
  ['UTF8', 'ü'.repeat(31)],
  ['UTF8', 'n'.repeat(80)],
] as const;

for (const [encoding, long] of cases) {
  suite(`names of ${Buffer.byteLength(long)} bytes, in ${encoding}`, (test) => {
    const [table, view, schema] = [`"${long}1"`, `"${long}2"`, `"${long}s"`];
    const isCut = Buffer.byteLength(long) > 63 && encoding === 'UTF8';
    let proxied: Proxied;
    test.before(async () => {
      proxied = await startProxied(
        `CREATE SCHEMA ${schema};
         CREATE TABLE ${table} (id int PRIMARY KEY, "${long}a" text, v int); INSERT INTO ${table} VALUES (1, 'x', 1), (2, 'y', 2);
         ${isCut ? '' : `CREATE TABLE ${schema}.${table} (id int PRIMARY KEY, "${long}a" text, v int REFERENCES ${table});`}`,
        {},
        encoding,
      );
      if (!isCut)
        for (const each of [proxied.database, proxied.twin])
          await each.query(`CREATE VIEW ${view} AS SELECT * FROM ${table}`);
    });
    test.after(() => proxied.stop());

    const column = `"${long}a"`;
    // a view is refused whose columns the parser cuts elsewhere
    const target = encoding === 'UTF8' && !isCut ? view : table;
    const statements = [
      `INSERT INTO ${table} VALUES (3, 'z', 3) RETURNING *`,
      `INSERT INTO ${table} VALUES (3, 'w', 3) ON CONFLICT (id) DO UPDATE SET v = ${table}.v + excluded.v RETURNING ${table}.v`,
      `UPDATE ${table} SET ${column} = ${table}.${column} || '!' WHERE ${table}.v = 1 RETURNING *`,
      `UPDATE ${target} SET v = 9 WHERE id = 2`,
      `MERGE INTO ${table} USING (VALUES (1)) s (i) ON ${table}.id = s.i WHEN MATCHED THEN UPDATE SET v = ${table}.v + 5`,
      `DELETE FROM ${table} USING ${target} o WHERE o.id = ${table}.id AND o.id = 2 RETURNING o.id`,
      ...(isCut
        ? []
        : [
            `INSERT INTO ${schema}.${table} VALUES (1, 'q', 1)`,
            `UPDATE ${schema}.${table} SET ${column} = 'r' RETURNING ${schema}.${table}.id`,
            `SELECT * FROM ${schema}.${table} NATURAL JOIN ${target}`,
          ]),
      `SELECT * FROM ${table} ORDER BY id FOR UPDATE`,
      `COPY (SELECT id, ${column} FROM ${table} ORDER BY 1) TO STDOUT`,
      `SELECT * FROM "${long}nothing" ORDER BY id`,
    ];

    test('are staged as PostgreSQL finds them, and approved', async () => {
      const id = await proxied.daemon.newSession({ reads: 'staged' });
      const staged = await runScript(proxied.daemon.clientUrl(id), statements.map(q));
      const direct = await runScript(proxied.twin.url, statements.map(q));
      assert.equal(staged.filter(isNoNotice), direct.filter(isNoNotice));
      for (const step of ['propose', 'approve']) {
        const { status, text } = await proxied.daemon.call('POST', `/sessions/${id}/${step}`);
        assert.is(status, 200, text);
      }
      assert.equal(await proxied.contents(), await proxied.twinContents());
    });
  });
}

/** A name that is cut is noted by PostgreSQL, as often as it stands in the statement that it gets. */
const isNoNotice = (message: string) => !message.startsWith('N ');

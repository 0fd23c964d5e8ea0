/** Names that could be taken for one another: each table's rows are staged, shown and applied under its own OID. */
import { qualifiedName, quoteIdentifier } from '../../src/identifier.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const longest = 'x'.repeat(62);
const inBytes = 'é'.repeat(31);
const names = [
  ...['item', 'Item', 'ITEM', 'itém', 'ite\u0301m', '\u0456tem', 'it em', 'it.em', 'it"em'],
  ...[`it'em`, 'it\\em', '"it.em"', 'select', '$1', 'item;--', '/*', 'stage', 'shadow_1', 'seq'],
  ...[`${longest}1`, `${longest}2`, inBytes, `${inBytes}x`],
];
/** Identical names in schemas with names as similar. One of these together with a table's is a name of the above. */
const elsewhere = ['Public', 'pub"lic', 'it', longest].flatMap((schema) =>
  ['item', 'em', `${longest}1`].map((name) => ({ schema, name })),
);
const tables = [...names.map((name) => ({ schema: 'public', name })), ...elsewhere];
const inSql = ({ schema, name }: { schema: string; name: string }) => qualifiedName(schema, name);

const schema = [
  ...new Set(elsewhere.map(({ schema }) => `CREATE SCHEMA ${quoteIdentifier(schema)}`)),
  ...tables.map(
    (table) => `CREATE TABLE ${inSql(table)} (id int PRIMARY KEY, name text);
      INSERT INTO ${inSql(table)} VALUES (0, 'production')`,
  ),
].join(';\n');

suite('names that are alike', (test) => {
  let proxied: Proxied;
  let id: string;
  test.before(async () => {
    proxied = await startProxied(schema);
    id = await proxied.daemon.newSession({ reads: 'staged' });
  });
  test.after(() => proxied.stop());

  const open = () => proxied.connect(proxied.daemon.clientUrl(id));
  const expected = (index: number) => [
    { id: 0, name: `changed ${index}` },
    { id: 1, name: `new ${index}` },
  ];

  test(
    'are staged apart from each other',
    async () => {
      const client = await open();
      for (const [index, table] of tables.entries()) {
        await client.query(`INSERT INTO ${inSql(table)} VALUES (1, 'new ${index}')`);
        await client.query(`UPDATE ${inSql(table)} SET name = $1 WHERE id = 0`, [
          `changed ${index}`,
        ]);
      }
      for (const [index, table] of tables.entries()) {
        const { rows } = await client.query(`SELECT * FROM ${inSql(table)} ORDER BY id`);
        assert.equal(rows, expected(index), inSql(table));
        assert.equal(
          await proxied.database.query(`TABLE ${inSql(table)}`),
          [{ id: 0, name: 'production' }],
          inSql(table),
        );
      }
    },
    { timeout: 120_000 },
  );

  test('mean what PostgreSQL takes them for: folded, cut at 63 bytes, looked up along the path', async () => {
    const client = await open();
    const asWritten: readonly [string, string, string][] = [
      ['public', 'iTEM', 'item'],
      ['public', `${longest}1 and more`.replaceAll(' ', '_'), `${longest}1`],
      ['public', `"${longest}2 and more"`, `${longest}2`],
      ['public', `"${inBytes}é"`, inBytes],
      ['public', `U&"\\0069tem"`, 'item'],
      ['it', 'em', 'em'],
      ['Public', 'Item', 'item'],
      ['pub"lic', `"item"`, 'item'],
    ];
    for (const [schema, text, name] of asWritten) {
      await client.query(`SET search_path = ${quoteIdentifier(schema)}, public`);
      await client.query(`UPDATE ${text} SET name = name || ' as written' WHERE id = 1`);
      const table = inSql({ schema, name });
      const { rows } = await client.query(`SELECT name FROM ${table} WHERE id = 1`);
      assert.match(rows[0].name, / as written$/, text);
      await client.query(`UPDATE ${table} SET name = replace(name, ' as written', '')`);
    }
    for (const [index, table] of tables.entries()) {
      const { rows } = await client.query(`SELECT * FROM ${inSql(table)} ORDER BY id`);
      assert.equal(rows, expected(index), inSql(table));
    }
  });

  test('are shown apart, and applied each to its own', async () => {
    const { call } = proxied.daemon;
    const { body } = await call('GET', `/sessions/${id}/diff`);
    assert.is(Object.keys(body.tables).length, tables.length);
    assert.is(body.summary.tables_affected, tables.length);
    assert.is((await call('POST', `/sessions/${id}/propose`)).status, 200);
    const approved = await call('POST', `/sessions/${id}/approve`);
    assert.is(approved.status, 200, approved.text);
    for (const [index, table] of tables.entries()) {
      const rows = await proxied.database.query(`SELECT * FROM ${inSql(table)} ORDER BY id`);
      assert.equal(rows, expected(index), inSql(table));
    }
  });
});

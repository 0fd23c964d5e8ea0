/** Names of statements and portals that PostgreSQL truncates at 63 bytes, so that two of the client's become one of the server's. */
import { decodeErrorFields } from '../../src/wire/error-fields.ts';
import { backend } from '../../src/wire/message-codes.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, c, connectWire, d, e, p, q, runScript, s } from '../helpers/wire-script.ts';

const a = (count: number) => 'a'.repeat(count);

/** Pairs of names that are one name for the server. */
const alike: readonly (readonly [string, string])[] = [
  [a(63), a(64)],
  [a(64), a(63)],
  [a(64), a(65)],
  [`${a(63)}x`, `${a(63)}y`],
  [a(264), a(63)],
  // Cut within a letter of two, three and four bytes.
  [`${a(62)}é`, `${a(62)}è`],
  [`${a(61)}€`, `${a(61)}₭`],
  [`${a(60)}😀`, `${a(60)}😁`],
];
/** Names that drivers give to their statements and portals, and the longest possible one. */
const usual = [
  ...['', 'S_1', 'C_1', '__asyncpg_stmt_1__', '_auto0', 'lrupsc_1_0', 'sqlx_s_1', 'ecto_42'],
  ...[`stmtcache_${'0123456789abcdef'.repeat(3)}`, '_django_curs_139942_sync_1'],
  ...[a(63), `${a(61)}é`, `${a(60)}€`, `${a(59)}😀`],
];

const schema = `CREATE TABLE t (id int PRIMARY KEY, v text);
  CREATE FUNCTION wr(v text) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO public.t VALUES (900, v); RETURN v; END $$`;
const insert = (v: string) => p.bind(null, `INSERT INTO t VALUES ($1, '${v}')`);
const shown = (name: string) => `${Buffer.byteLength(name)} bytes, ${name.slice(-2)}`;
const length = (name: string) => Buffer.byteLength(name);

suite('names that PostgreSQL cuts', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.beforeEach(async () => {
    await proxied.database.query('DELETE FROM t');
  });
  test.after(() => proxied.stop());

  const production = async () => (await proxied.contents()).filter((row) => row.startsWith('t '));

  for (const [one, other] of alike) {
    const names = `${shown(one)} and ${shown(other)}`;

    test(`do not put a raw statement in the place of a staged one: ${names}`, async () => {
      await runScript(await proxied.session(), [
        ...[insert('staged')(one), s],
        ...[b(['1'], one), e(), s, b(['2'], one), e(), s],
        ...[c('statement', other), s, q('BEGIN READ ONLY')],
        ...[insert('RAW')(other), s, q('COMMIT')],
        ...[b(['3'], one), e(), s],
      ]);
      assert.equal(await production(), []);
    });

    test(`do not put a raw portal in the place of a staged one: ${names}`, async () => {
      await runScript(await proxied.session(), [
        ...[q(`PREPARE pr AS SELECT wr('RAW')`), p('EXECUTE pr', 'run'), insert('staged')('w'), s],
        ...[q('BEGIN'), b(['1'], 'w', one), c('portal', other), b([], 'run', other)],
        ...[e(0, one), s, q('COMMIT')],
      ]);
      assert.equal(await production(), []);
    });

    test(`do not mix up SQL's statements with those of the protocol: ${names}`, async () => {
      await runScript(await proxied.session(), [
        ...[q(`PREPARE "${one}"(int) AS INSERT INTO t VALUES ($1, 'staged')`)],
        ...[q(`EXECUTE "${one}"(1)`), c('statement', other), s, q(`DEALLOCATE "${other}"`)],
        ...[q('BEGIN READ ONLY'), insert('RAW')(other), s],
        ...[q(`PREPARE "${other}"(int) AS INSERT INTO t VALUES ($1, 'RAW')`), q('COMMIT')],
        ...[q(`EXECUTE "${one}"(2)`), b(['3'], one), e(), s],
      ]);
      assert.equal(await production(), []);
    });
  }

  for (const name of [...new Set(alike.flat())].filter((each) => length(each) > 63)) {
    test(`are refused in every message and statement: ${shown(name)}`, async () => {
      const heard = await runScript(await proxied.session(), [
        ...[p('SELECT 1', 'known'), s],
        ...[p('SELECT 1', name), s],
        ...[b([], name), s, b([], 'known', name), s],
        ...[d('statement', name), s, d('portal', name), s],
        ...[e(0, name), s, c('statement', name), s, c('portal', name), s],
      ]);
      const errors = heard.filter((message) => message.startsWith('E '));
      assert.is(errors.length, 8);
      for (const error of errors) {
        assert.match(
          error,
          `C=42622 M=name of ${length(name)} bytes is longer than the limit of 63`,
        );
        assert.match(error, / H=\S/);
      }
    });
  }

  test('hold for the next statement of a connection', async () => {
    const client = await connectWire(await proxied.session());
    client.send(p('SELECT 1', a(64)), b([], a(64)), e(), s, q('SELECT 2'));
    const heard = await client.readTo(backend.readyForQuery, 2);
    const error = heard.find(({ type }) => type === backend.errorResponse);
    assert.is(error && decodeErrorFields(error.payload).get('C'), '42622');
    assert.is(heard.filter(({ type }) => type === backend.dataRow).length, 1);
    client.close();
  });

  for (const name of usual) {
    test(`are not those of drivers: ${JSON.stringify(name)}`, async () => {
      const messages = [
        ...[q('BEGIN'), p('SELECT generate_series(1, $1::int)', name), d('statement', name)],
        ...[b(['3'], name, name), d('portal', name), e(2, name), e(0, name)],
        ...[c('portal', name), c('statement', name), s, q('COMMIT')],
      ];
      const url = await proxied.session();
      assert.equal(await runScript(url, messages), await runScript(proxied.twin.url, messages));
    });
  }
});

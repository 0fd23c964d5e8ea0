/**
 * Tables that come back with other types of columns while a client is connected: its writes and reads in the extended protocol are answered
 * as directly, with and without a Describe, by prepared and unprepared statements.
 */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Pause } from '../helpers/wire-script.ts';
import { b, d, e, p, q, runScript, s } from '../helpers/wire-script.ts';

/** The types that the column has in turn, each with a value that fits it, and no other. */
const rounds: readonly (readonly [type: string, value: string])[] = [
  ['int', '1'],
  ['text', 'abc'],
  ['date', '2026-01-02'],
  ['int', '7'],
];

type Form = (value: string) => readonly Buffer[];

const forms: Readonly<Record<string, Form>> = {
  'an INSERT with a parameter': (value) => [p('INSERT INTO r VALUES (1, $1)'), b([value]), e(), s],
  'an INSERT with a parameter and Describe': (value) => [
    ...[p('INSERT INTO r VALUES (2, $1) RETURNING *'), d('statement'), b([value]), d(), e(), s],
  ],
  'an INSERT of a constant': (value) => [p(`INSERT INTO r VALUES (3, '${value}')`), b(), e(), s],
  'an INSERT of several rows': (value) => [
    ...[p('INSERT INTO r VALUES (4, $1), (5, $2)'), b([value, value]), e(), s],
  ],
  'an INSERT from a query': (value) => [
    ...[p(`INSERT INTO r SELECT 9, v FROM r WHERE v = '${value}' LIMIT 1`), b(), e(), s],
  ],
  'an upsert': (value) => [
    ...[
      p('INSERT INTO r VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET v = $1'),
      b([value]),
      e(),
      s,
    ],
  ],
  'a MERGE': (value) => [
    p(
      'MERGE INTO r USING (VALUES (1)) x (id) ON r.id = x.id WHEN MATCHED THEN UPDATE SET v = $1 WHEN NOT MATCHED THEN INSERT VALUES (x.id, $1)',
    ),
    ...[b([value]), e(), s],
  ],
  'an UPDATE': (value) => [p('UPDATE r SET v = $1'), b([value]), e(), s],
  'an UPDATE of a constant': (value) => [
    p(`UPDATE r SET v = '${value}' WHERE id = 1`),
    b(),
    e(),
    s,
  ],
  'a DELETE': (value) => [p('DELETE FROM r WHERE v = $1'), b([value]), e(), s],
  'a DELETE by a constant': (value) => [p(`DELETE FROM r WHERE v = '${value}'`), b(), e(), s],
  'a read': (value) => [p('SELECT v FROM r WHERE v = $1'), b([value]), e(), s],
  'a read by a constant': (value) => [p(`SELECT v FROM r WHERE v = '${value}'`), b(), e(), s],
  'a Query that inserts': (value) => [q(`INSERT INTO r VALUES (1, '${value}')`)],
  'a Query that reads': (value) => [q(`SELECT v FROM r WHERE v = '${value}'`)],
};

suite('tables whose columns get other types', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('CREATE TABLE r (id int, v int)');
  });
  test.after(() => proxied.stop());

  for (const key of ['', ' PRIMARY KEY'])
    for (const [name, form] of Object.entries(forms)) {
      if (key === '' && (name === 'an upsert' || name === 'a MERGE')) continue;
      test(`are made again${key}: ${name}`, async () => {
        const { database, twin } = proxied;
        const change = (of: typeof twin, type: string) => async () => {
          await of.query(`DROP TABLE r; CREATE TABLE r (id int${key}, v ${type})`);
        };
        const script = (of: typeof twin): (Buffer | Pause)[] =>
          rounds.flatMap(([type, value]) => [
            change(of, type),
            ...[0, 1].flatMap(() => [...form(value), 'wait' as const]),
          ]);
        const staged = await runScript(await proxied.session('staged'), script(database));
        assert.equal(staged, await runScript(twin.url, script(twin)));
      });
    }
});

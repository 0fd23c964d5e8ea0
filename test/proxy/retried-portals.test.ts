/**
 * Portals that a batch binds before a write that must be tried again, because its table was altered a moment ago. The next try has to bind
 * them again, and must not take another statement or portal for them whose name is the same.
 */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, c, e, exchange, p, q, run, runScript, s } from '../helpers/wire-script.ts';

const schema =
  'CREATE TABLE item (id int PRIMARY KEY, name text); CREATE TABLE part (id int PRIMARY KEY, name text)';

const item = `INSERT INTO item VALUES (10, 'ten') RETURNING id`;
const other = `INSERT INTO item VALUES (11, 'eleven') RETURNING name`;
const part = `INSERT INTO part (id, name) VALUES (20, 'twenty') RETURNING *`;

const batches: Readonly<Record<string, readonly Buffer[]>> = {
  'a portal, and a second of the same statement name': [
    ...[p(item), b([], '', 'one'), p(part), b([], '', 'two')],
    ...[e(0, 'one'), e(0, 'two'), s],
  ],
  'two portals of one name for statements, and a third statement': [
    ...[p(item), b([], '', 'one'), p(other), b([], '', 'two'), p(part), b([], '', 'three')],
    ...[e(0, 'two'), e(0, 'one'), e(0, 'three'), s],
  ],
  'a portal of a statement that is closed': [
    ...[p(item, 'of'), b([], 'of', 'one'), c('statement', 'of'), p(part), b([], '', 'two')],
    ...[e(0, 'one'), e(0, 'two'), s],
  ],
  'a portal of a statement that was closed and prepared again': [
    ...[p(item, 'of'), b([], 'of', 'one'), c('statement', 'of'), p(other, 'of')],
    ...[p(part), b([], '', 'two'), e(0, 'one'), e(0, 'two'), b([], 'of'), e(), s],
  ],
  'a portal that is closed, and bound again': [
    ...[p(item), b([], '', 'one'), c('portal', 'one'), p(part), b([], '', 'two'), e(0, 'two')],
    ...[p(other), b([], '', 'one'), e(0, 'one'), s],
  ],
  'a portal that is closed, and executed': [
    ...[p(item), b([], '', 'one'), c('portal', 'one'), p(part), b([], '', 'two'), e(0, 'two')],
    ...[e(0, 'one'), s],
  ],
  'a portal of a statement prepared before': [
    ...[b([], 'before', 'one'), p(part), b([], '', 'two'), e(0, 'one'), e(0, 'two'), s],
  ],
  'a portal of a statement prepared before, which is closed': [
    ...[b([], 'before', 'one'), c('statement', 'before'), p(part), b([], '', 'two')],
    ...[e(0, 'one'), e(0, 'two'), s],
  ],
  'a portal of an earlier batch': [
    ...[p(item), b([], '', 'one'), s],
    ...[p(part), b([], '', 'two'), e(0, 'one'), e(0, 'two'), s],
  ],
  'a prepared statement whose name is in use': [
    ...[p(item, 'of'), b([], 'of', 'one'), c('statement', 'of')],
    ...[p(part, 'before'), e(0, 'one'), s],
  ],
};

suite('portals before a write that is tried again', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const alter = async (column: string) => {
    for (const database of [proxied.database, proxied.twin])
      await database.query(`ALTER TABLE part ADD COLUMN IF NOT EXISTS ${column} int DEFAULT 7`);
  };

  const converse = async (url: string, column: string, begin: string, batch: readonly Buffer[]) => {
    const reported = await runScript(url, [
      ...[
        run(`INSERT INTO part VALUES (1, 'one')`),
        s,
        run(`INSERT INTO item VALUES (1, 'one')`),
        s,
      ],
      ...[p(item, 'before'), s, 'wait' as const, () => alter(column)],
      ...[...(begin === '' ? [] : [q(begin)]), ...batch],
      ...[q('ROLLBACK; SELECT * FROM item ORDER BY id'), q('SELECT * FROM part ORDER BY id')],
    ]);
    return reported.filter((message) => !message.startsWith('S '));
  };

  let count = 0;
  for (const [name, batch] of Object.entries(batches)) {
    for (const begin of ['', 'BEGIN']) {
      test(`${name}, ${begin || 'no block'}`, async () => {
        await proxied.twin.query('TRUNCATE item, part');
        count += 1;
        const column = `added_${count}`;
        assert.equal(
          await converse(await proxied.session('staged'), column, begin, batch),
          await converse(proxied.twin.url, column, begin, batch),
        );
      });
    }
  }

  test('a portal of a statement of PREPARE, which is closed, can only be bound anew by the client', async () => {
    const client = await proxied.wire(await proxied.session('staged'));
    const batch = [b([], 'made', 'one'), c('statement', 'made'), p(part), b([], '', 'two')];
    const reported = [
      ...(await exchange(client, q(`PREPARE made AS ${item}`))),
      ...(await exchange(client, run(part.replace('20', '2')), s)),
    ];
    assert.not.match(reported.join('\n'), /^E /m);
    await proxied.database.query('ALTER TABLE part ADD COLUMN last int');
    const [error] = (await exchange(client, ...batch, e(0, 'one'), e(0, 'two'), s)).filter((each) =>
      each.startsWith('E '),
    );
    assert.match(error ?? '', / C=40001 /);
    const rows = await exchange(client, q('SELECT FROM item'));
    assert.ok(rows.includes('C SELECT 0.'), rows.join('\n'));
  });
});

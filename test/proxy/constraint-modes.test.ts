/** SET CONSTRAINTS and deferrable constraints: checked when PostgreSQL checks them, with its errors. */
import type pg from 'pg';
import { approveStories, assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

const { schema, after, steps } = await readStories('proxy/constraint-modes.sql');

suite('constraint modes', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  test('a deferred key, of rows that two connections of a session stage', async () => {
    const url = await proxied.session('staged');
    const [first, second] = [await proxied.connect(url), await proxied.connect(url)];
    // create the overlay before both begin
    await first.query('INSERT INTO part VALUES (960, 2, 960)');
    for (const client of [first, second]) await client.query('BEGIN');
    await first.query('INSERT INTO part VALUES (961, 2, 961)');
    await second.query('INSERT INTO part VALUES (962, 2, 961)');
    await second.query('COMMIT');
    assert.is((await rejects(first.query('COMMIT'))).code, '23505');
  });

  test('in the extended protocol', async () => {
    const messages = [
      ...[
        run('BEGIN'),
        run('SET CONSTRAINTS ALL DEFERRED'),
        run('INSERT INTO item VALUES (50, 51, 50)'),
        s,
      ],
      ...[run('INSERT INTO item VALUES (51, 50, 51)'), run('SET CONSTRAINTS ALL IMMEDIATE'), s],
      ...[run('INSERT INTO item VALUES (52, 99, 52)'), s, run('ROLLBACK'), s],
      ...[
        run('BEGIN'),
        run('INSERT INTO part VALUES (50, 99, 50)'),
        s,
        run('SET CONSTRAINTS ALL IMMEDIATE'),
        s,
        run('COMMIT'),
        s,
      ],
    ];
    await assertAlike(proxied, [...messages, ...after.map(q)]);
  });

  test('no context tells of the staging', async () => {
    for (const text of ['COMMIT', 'SET CONSTRAINTS ALL IMMEDIATE']) {
      const client = await proxied.connect(await proxied.session());
      await client.query('BEGIN');
      await client.query('INSERT INTO part VALUES (70, 99, 70)');
      const { where } = (await rejects(
        client.query({ text, queryMode: 'extended' } as pg.QueryConfig),
      )) as pg.DatabaseError;
      assert.is(where, undefined, text);
    }
  });
});

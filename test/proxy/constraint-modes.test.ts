/** SET CONSTRAINTS, and constraints that can be deferred: judged when PostgreSQL would, with its errors. */
import type pg from 'pg';
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

const schema = `
CREATE SCHEMA other;
CREATE TABLE item (id int PRIMARY KEY, next int, rank int,
  CONSTRAINT item_next FOREIGN KEY (next) REFERENCES item DEFERRABLE,
  CONSTRAINT "item Rank" UNIQUE (rank) DEFERRABLE);
CREATE TABLE part (id int PRIMARY KEY, item int, rank int UNIQUE DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT part_item FOREIGN KEY (item) REFERENCES item DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT part_next FOREIGN KEY (item) REFERENCES item (id));
ALTER TABLE part DROP CONSTRAINT part_next;
CREATE TABLE firm (id int PRIMARY KEY, item int CONSTRAINT firm_item REFERENCES item);
CREATE TABLE loose (item int CONSTRAINT loose_item REFERENCES item DEFERRABLE INITIALLY DEFERRED, note int);
INSERT INTO item SELECT g, NULL, g FROM generate_series(1, 5) g;
INSERT INTO part VALUES (1, 1, 1);
INSERT INTO loose VALUES (5, 1);
`;
const rows = q(
  'SELECT * FROM item ORDER BY id; SELECT * FROM part ORDER BY id; SELECT * FROM firm; SELECT * FROM loose ORDER BY note',
);

const scripts: Record<string, readonly string[]> = {
  'as defined': [
    ...['INSERT INTO item VALUES (6, 7, 6)', 'INSERT INTO item VALUES (6, 7, 6), (7, 6, 7)'],
    ...[
      'UPDATE item SET rank = rank + 1',
      'UPDATE item SET rank = 1',
      'DELETE FROM item WHERE id = 6',
    ],
    ...[
      'BEGIN',
      'INSERT INTO part VALUES (2, 99, 1)',
      'UPDATE part SET item = 2, rank = 2 WHERE id = 2',
      'COMMIT',
    ],
    ...[
      'BEGIN',
      'INSERT INTO part VALUES (3, 99, 3)',
      'COMMIT',
      'INSERT INTO part VALUES (4, 1, 1)',
    ],
    ...[
      'BEGIN',
      'DELETE FROM item WHERE id = 1',
      'UPDATE part SET item = 3 WHERE item = 1',
      'ROLLBACK',
    ],
  ],
  'ALL DEFERRED': [
    ...['BEGIN', 'SET CONSTRAINTS ALL DEFERRED', 'INSERT INTO item VALUES (10, 11, 1)'],
    ...[
      'UPDATE item SET rank = 10 WHERE id = 10',
      'INSERT INTO item VALUES (11, 10, 11)',
      'COMMIT',
    ],
    ...[
      'BEGIN',
      'SET CONSTRAINTS ALL DEFERRED',
      'INSERT INTO item VALUES (12, 99, 12)',
      'SELECT 1',
      'COMMIT',
    ],
    ...['BEGIN', 'SET CONSTRAINTS ALL DEFERRED', 'DELETE FROM item WHERE id = 10', 'COMMIT'],
    ...['BEGIN', 'SET CONSTRAINTS ALL DEFERRED', 'INSERT INTO firm VALUES (1, 99)', 'ROLLBACK'],
    ...['INSERT INTO item VALUES (12, 99, 12)'],
  ],
  'IMMEDIATE again': [
    ...[
      'BEGIN',
      'INSERT INTO part VALUES (20, 99, 20)',
      'SET CONSTRAINTS ALL IMMEDIATE',
      'SELECT 1',
      'ROLLBACK',
    ],
    ...[
      'BEGIN',
      'INSERT INTO part VALUES (20, 1, 20)',
      'SET CONSTRAINTS ALL IMMEDIATE',
      'INSERT INTO part VALUES (21, 99, 21)',
      'ROLLBACK',
    ],
    ...[
      'BEGIN',
      'SET CONSTRAINTS ALL IMMEDIATE',
      'INSERT INTO part VALUES (22, 2, 22), (23, 2, 23)',
      'UPDATE part SET rank = rank + 1',
      'COMMIT',
    ],
    ...[
      'BEGIN',
      'SET CONSTRAINTS ALL IMMEDIATE',
      'SET CONSTRAINTS part_item DEFERRED',
      'INSERT INTO part VALUES (24, 99, 24)',
    ],
    ...[
      'UPDATE part SET item = 3 WHERE id = 24',
      'INSERT INTO part VALUES (25, 3, 24)',
      'ROLLBACK',
    ],
    ...[
      'BEGIN',
      'SET CONSTRAINTS ALL IMMEDIATE',
      'SET CONSTRAINTS ALL DEFERRED',
      'INSERT INTO part VALUES (24, 99, 24)',
      'DELETE FROM part WHERE id = 24',
      'COMMIT',
    ],
  ],
  'by name': [
    ...[
      'BEGIN',
      'SET CONSTRAINTS item_next, "item Rank" DEFERRED',
      'INSERT INTO item VALUES (30, 31, 1)',
    ],
    ...['SET CONSTRAINTS public.item_next IMMEDIATE', 'ROLLBACK'],
    ...[
      'BEGIN',
      'SET CONSTRAINTS item_next, public."item Rank" DEFERRED',
      'INSERT INTO item VALUES (30, 31, 1)',
    ],
    ...[
      'INSERT INTO item VALUES (31, NULL, 31)',
      'SET CONSTRAINTS item_next IMMEDIATE',
      'INSERT INTO part VALUES (31, 99, 31)',
      'SET CONSTRAINTS "item Rank" IMMEDIATE',
      'ROLLBACK',
    ],
    ...[
      'BEGIN',
      'SET CONSTRAINTS nowhere DEFERRED',
      'ROLLBACK',
      'BEGIN',
      'SET CONSTRAINTS firm_item DEFERRED',
      'ROLLBACK',
    ],
    ...[
      'BEGIN',
      'SET CONSTRAINTS other.item_next DEFERRED',
      'ROLLBACK',
      'SET CONSTRAINTS ALL DEFERRED',
      'SET CONSTRAINTS item_next IMMEDIATE',
    ],
  ],
  'savepoints and several statements': [
    ...[
      'BEGIN',
      'SAVEPOINT a',
      'SET CONSTRAINTS ALL DEFERRED',
      'ROLLBACK TO a',
      'INSERT INTO item VALUES (40, 99, 40)',
      'ROLLBACK',
    ],
    ...[
      'BEGIN',
      'INSERT INTO part VALUES (41, 99, 41)',
      'SAVEPOINT a',
      'SET CONSTRAINTS ALL IMMEDIATE',
      'ROLLBACK TO a',
      'UPDATE part SET item = 4 WHERE id = 41',
      'SET CONSTRAINTS ALL IMMEDIATE',
      'COMMIT',
    ],
    'BEGIN; SET CONSTRAINTS ALL DEFERRED; INSERT INTO item VALUES (42, 43, 42); INSERT INTO item VALUES (43, 42, 43); COMMIT',
    'SET CONSTRAINTS ALL DEFERRED; INSERT INTO item VALUES (44, 45, 44); INSERT INTO item VALUES (45, 44, 45)',
    'INSERT INTO part VALUES (46, 99, 46); SET CONSTRAINTS ALL IMMEDIATE; SELECT 1',
  ],
  'a row that its own transaction changes again': [
    ...[
      'BEGIN',
      'INSERT INTO part VALUES (60, 99, 60)',
      'UPDATE part SET rank = 61 WHERE id = 60',
      'COMMIT',
    ],
    ...['BEGIN', 'INSERT INTO loose VALUES (99, 2)', 'UPDATE loose SET note = note + 1', 'COMMIT'],
    ...['BEGIN', 'UPDATE loose SET note = 7', 'UPDATE loose SET note = 8'],
    ...['DELETE FROM item WHERE id = 5', 'COMMIT'],
    ...[
      'BEGIN',
      'INSERT INTO part VALUES (60, 99, 60)',
      'SAVEPOINT a',
      'UPDATE part SET rank = 61 WHERE id = 60',
      'UPDATE part SET id = 62 WHERE id = 60',
      'SET CONSTRAINTS ALL IMMEDIATE',
      'ROLLBACK TO a',
      'UPDATE part SET item = NULL WHERE id = 60',
      'COMMIT',
    ],
    // the reference was judged when an earlier transaction made it: now the deletion is what breaks it
    ...[
      'UPDATE part SET item = 2 WHERE id = 60',
      'BEGIN',
      'UPDATE part SET rank = 63 WHERE id = 60',
    ],
    ...['DELETE FROM item WHERE id = 2', 'COMMIT'],
  ],
};

suite('constraint modes', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  for (const [name, statements] of Object.entries(scripts)) {
    test(name, async () => {
      await assertAlike(proxied, [...statements.map(q), rows]);
    });
  }

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
    await assertAlike(proxied, [...messages, rows]);
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

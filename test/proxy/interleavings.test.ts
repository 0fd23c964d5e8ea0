/** Two connections of one session, step by step: what waits, what fails and what remains is as on the tables themselves. */
import pg from 'pg';
import type { Step } from '../helpers/interleaving.ts';
import { interleave } from '../helpers/interleaving.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL, code text UNIQUE);
CREATE TABLE part (id int PRIMARY KEY, item bigint REFERENCES item ON UPDATE CASCADE);
CREATE TABLE note (id int PRIMARY KEY, item int REFERENCES item ON DELETE CASCADE);
CREATE TABLE tag (id int PRIMARY KEY, code text REFERENCES item (code) DEFERRABLE INITIALLY DEFERRED);`;

const fill = `
TRUNCATE item, part, note, tag;
INSERT INTO item SELECT g, 0, 'c' || g FROM generate_series(1, 4) g;`;

const begin = (level = 'READ COMMITTED'): Step[] => [
  [0, `BEGIN ISOLATION LEVEL ${level}`],
  [1, `BEGIN ISOLATION LEVEL ${level}`],
];

const child = 'INSERT INTO part VALUES (1, 1)';
const orphan = 'DELETE FROM item WHERE id = 1';
const addUntold = 'UPDATE item SET n = n + 1 WHERE id = 1';
const add = `${addUntold} RETURNING n`;

const cases: Readonly<Record<string, readonly Step[]>> = {
  'a child of a parent that is deleted': [
    ...begin(),
    [0, orphan],
    [1, child],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'a child of a parent that is deleted, in a statement of its own': [
    [0, 'BEGIN'],
    [0, orphan],
    [1, child],
    [0, 'COMMIT'],
  ],
  'a child of a parent whose deletion is rolled back': [
    ...begin(),
    [0, orphan],
    [1, child],
    [0, 'ROLLBACK'],
    [1, 'COMMIT'],
  ],
  'the parent of a new child': [...begin(), [1, child], [0, orphan], [1, 'COMMIT'], [0, 'COMMIT']],
  'the parent of a child that is rolled back': [
    ...begin(),
    [1, child],
    [0, orphan],
    [1, 'ROLLBACK'],
    [0, 'COMMIT'],
  ],
  'the parent of a child whose transaction goes on with the parent': [
    ...begin(),
    [1, child],
    [0, orphan],
    [1, add],
    [1, 'COMMIT'],
    [0, 'COMMIT'],
  ],
  'a child that a deletion takes along': [
    ...begin(),
    [1, 'INSERT INTO note VALUES (1, 1)'],
    [0, orphan],
    [1, 'COMMIT'],
    [0, 'COMMIT'],
  ],
  'a child that follows a key': [
    ...begin(),
    [1, child],
    [0, 'UPDATE item SET id = 9 WHERE id = 1'],
    [1, 'COMMIT'],
    [0, 'COMMIT'],
  ],
  'a child that is judged at COMMIT': [
    ...begin(),
    [1, `INSERT INTO tag VALUES (1, 'c1')`],
    [0, orphan],
    [1, 'COMMIT'],
    [0, 'COMMIT'],
  ],
  'another parent, and another value of the parent': [
    ...begin(),
    [0, orphan],
    [0, 'UPDATE item SET n = 5 WHERE id = 3'],
    [1, 'INSERT INTO part VALUES (1, 2), (2, 3)'],
    [1, 'COMMIT'],
    [0, 'COMMIT'],
  ],
  'REPEATABLE READ: a child of a parent that is deleted': [
    ...begin('REPEATABLE READ'),
    [0, orphan],
    [1, child],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'a row of a transaction whose read has failed': [
    [0, 'BEGIN'],
    [0, add],
    [0, 'SELECT 1/0'],
    [1, addUntold],
    [0, 'SELECT 1'],
    [0, 'COMMIT'],
  ],
  'a row of a transaction whose write has failed': [
    [0, 'BEGIN'],
    [0, add],
    [0, 'INSERT INTO item VALUES (1, 1)'],
    [1, add],
    [0, 'ROLLBACK'],
  ],
  'a key of a transaction whose write has failed': [
    [0, 'BEGIN'],
    [0, 'INSERT INTO item VALUES (9, 1)'],
    [0, 'INSERT INTO item VALUES (9, 1)'],
    [1, 'INSERT INTO item VALUES (9, 2)'],
    [0, 'ROLLBACK'],
  ],
  'rows of a transaction that has failed behind a savepoint': [
    [0, 'BEGIN'],
    [0, add],
    [0, 'SAVEPOINT mine'],
    [0, 'UPDATE item SET n = 5 WHERE id = 2'],
    [0, 'SELECT 1/0'],
    [1, 'UPDATE item SET n = 6 WHERE id = 2'],
    [2, addUntold],
    [0, 'ROLLBACK TO mine'],
    [0, 'UPDATE item SET n = 7 WHERE id = 3'],
    [0, 'SELECT 1/0'],
    [0, 'ROLLBACK TO mine'],
    [0, 'SELECT n FROM item WHERE id = 1'],
    [0, 'COMMIT'],
  ],
  'a row that was changed meanwhile, time and again': [
    [0, 'BEGIN'],
    [0, add],
    [1, addUntold],
    [2, addUntold],
    [3, addUntold],
    [0, 'COMMIT'],
  ],
  'a row that was changed meanwhile, in the middle of a transaction': [
    ...begin(),
    [1, 'UPDATE item SET n = 7 WHERE id = 2'],
    [1, 'SAVEPOINT mine'],
    [1, 'SELECT 1'],
    [0, add],
    [1, add],
    [0, 'COMMIT'],
    [1, add],
    [1, 'ROLLBACK TO mine'],
    [1, add],
    [1, 'COMMIT'],
  ],
  'a row that no longer matches': [
    ...begin(),
    [0, 'UPDATE item SET n = 5 WHERE n = 0 AND id < 3'],
    [1, 'UPDATE item SET n = 6 WHERE n = 0 AND id < 4'],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'a row that was deleted': [
    ...begin(),
    [0, orphan],
    [1, add],
    [0, 'COMMIT'],
    [1, add],
    [1, 'COMMIT'],
  ],
  'a deletion of a row that was changed': [
    ...begin(),
    [0, add],
    [1, `DELETE FROM item WHERE id = 1 RETURNING n`],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'an upsert on a row that was changed': [
    ...begin(),
    [0, add],
    [
      1,
      'INSERT INTO item VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET n = item.n + excluded.n RETURNING n',
    ],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'an upsert of a row that another one inserts': [
    ...begin(),
    [0, `INSERT INTO item VALUES (8, 1)`],
    [
      1,
      'INSERT INTO item VALUES (8, 5) ON CONFLICT (id) DO UPDATE SET n = item.n + excluded.n RETURNING n',
    ],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'the same unique value by an update': [
    ...begin(),
    [0, `UPDATE item SET code = 'x' WHERE id = 1`],
    [1, `UPDATE item SET code = 'x' WHERE id = 2`],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'a deadlock': [
    ...begin(),
    [0, 'UPDATE item SET n = 1 WHERE id = 1'],
    [1, 'UPDATE item SET n = 1 WHERE id = 2'],
    [1, `SET deadlock_timeout = '1h'`],
    [0, 'UPDATE item SET n = 2 WHERE id = 2'],
    [1, 'UPDATE item SET n = 2 WHERE id = 1'],
    [0, 'ROLLBACK'],
    [1, 'COMMIT'],
  ],
  'REPEATABLE READ: a row that was changed': [
    ...begin('REPEATABLE READ'),
    [1, 'SELECT 1 FROM item'],
    [0, add],
    [1, add],
    [0, 'COMMIT'],
    [1, 'ROLLBACK'],
  ],
  'REPEATABLE READ by default: a statement of its own': [
    [1, `SET default_transaction_isolation = 'repeatable read'`],
    [0, 'BEGIN'],
    [0, add],
    [1, add],
    [0, 'COMMIT'],
  ],
  'SERIALIZABLE: each reads what the other writes': [
    ...begin('SERIALIZABLE'),
    [0, 'SELECT sum(n) FROM item'],
    [1, 'SELECT sum(n) FROM item'],
    [0, 'UPDATE item SET n = 1 WHERE id = 1'],
    [1, 'UPDATE item SET n = 1 WHERE id = 2'],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'SERIALIZABLE: each reads in what it writes': [
    ...begin('SERIALIZABLE'),
    [0, 'UPDATE item SET n = (SELECT sum(n) + 1 FROM item) WHERE id = 1'],
    [1, 'UPDATE item SET n = (SELECT sum(n) + 1 FROM item) WHERE id = 2'],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'SERIALIZABLE: one that only reads, and one that only writes': [
    ...begin('SERIALIZABLE'),
    [0, 'SELECT sum(n) FROM item'],
    [1, 'UPDATE item SET n = 1 WHERE id = 2'],
    [1, 'COMMIT'],
    [0, 'SELECT sum(n) FROM item'],
    [0, 'COMMIT'],
  ],
};

const remains = `SELECT 'item' AS name, item.*::text FROM item UNION ALL SELECT 'part', part.*::text FROM part
  UNION ALL SELECT 'note', note.*::text FROM note UNION ALL SELECT 'tag', tag.*::text FROM tag ORDER BY 1, 2`;

suite('two connections of one session, step by step', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema + fill);
  });
  test.after(() => proxied.stop());

  for (const [name, steps] of Object.entries(cases)) {
    for (const mode of [undefined, 'extended'] as const) {
      test(`${name}${mode ? ', extended protocol' : ''}`, async () => {
        const { database, twin, daemon } = proxied;
        await twin.query(fill);
        const session = daemon.clientUrl(await daemon.newSession({ reads: 'staged' }));
        assert.equal(
          await interleave(database, session, steps, mode),
          await interleave(twin, twin.url, steps, mode),
        );
        assert.equal(await rowsOf(session), await rowsOf(twin.url));
      });
    }
  }

  async function rowsOf(url: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(remains);
    await client.end();
    return rows;
  }
});

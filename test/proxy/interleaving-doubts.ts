/**
 * Steps of connections of which one has an uncommitted change of a row that conflicts with an upsert. The tables are those of
 * interleavings.test.ts.
 */
import type { Step } from '../helpers/interleaving.ts';
import { beginBoth as begin } from '../helpers/interleaving.ts';

const remove = 'DELETE FROM item WHERE id = 4';
const ensure = 'INSERT INTO item VALUES (4, 7) ON CONFLICT DO NOTHING';

const after = (first: string, second: string, end = 'COMMIT'): Step[] => [
  ...begin(),
  [0, first],
  [1, second],
  [0, end],
  [1, 'COMMIT'],
];

export const doubts: Readonly<Record<string, readonly Step[]>> = {
  'DO NOTHING, and a key that is deleted': after(remove, ensure),
  'DO NOTHING, and a key that is deleted in vain': after(remove, ensure, 'ROLLBACK'),
  'DO NOTHING, and a key that is given up': after('UPDATE item SET id = 40 WHERE id = 4', ensure),
  'DO NOTHING, and a row that is changed': after('UPDATE item SET n = 5 WHERE id = 4', ensure),
  'DO NOTHING on the key with RETURNING, in a statement of its own': [
    [0, 'BEGIN'],
    [0, remove],
    [1, 'INSERT INTO item VALUES (4, 7) ON CONFLICT (id) DO NOTHING RETURNING n'],
    [0, 'COMMIT'],
  ],
  'DO NOTHING, and a staged row that is deleted': [
    [2, 'UPDATE item SET n = 3 WHERE id = 4'],
    ...after(remove, ensure),
  ],
  'DO NOTHING, and a staged row that is given another key': [
    [2, 'UPDATE item SET n = 3 WHERE id = 4'],
    ...after('UPDATE item SET id = 40 WHERE id = 4', ensure),
  ],
  'DO NOTHING on a unique value that is given up': after(
    `UPDATE item SET code = 'x' WHERE id = 1`,
    `INSERT INTO item VALUES (7, 0, 'c1') ON CONFLICT (code) DO NOTHING`,
  ),
  'DO NOTHING on a unique value whose row is deleted': after(
    'DELETE FROM item WHERE id = 1',
    `INSERT INTO item VALUES (7, 0, 'c1') ON CONFLICT DO NOTHING`,
  ),
  'DO NOTHING for several rows': after(
    'DELETE FROM item WHERE id > 2',
    'INSERT INTO item SELECT g, 7 FROM generate_series(1, 6) g ON CONFLICT DO NOTHING',
  ),
  'DO NOTHING in a partitioned table': after(
    'DELETE FROM area WHERE id = 1',
    'INSERT INTO area VALUES (1, 1, 7) ON CONFLICT DO NOTHING',
  ),
  'DO NOTHING in a partitioned table, and a row that moves': after(
    'UPDATE area SET zone = 2 WHERE id = 1',
    'INSERT INTO area VALUES (1, 1, 7) ON CONFLICT DO NOTHING',
  ),
  'DO NOTHING on an exclusion constraint': after(
    'DELETE FROM span WHERE id = 1',
    `INSERT INTO span VALUES (2, '[3,9)') ON CONFLICT DO NOTHING`,
  ),
  'DO NOTHING leaves the row to others': [
    ...begin(),
    [2, 'BEGIN'],
    [2, 'UPDATE item SET n = 1 WHERE id = 1'],
    [0, ensure],
    [1, 'UPDATE item SET n = 1 WHERE id = 4'],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
    [2, 'COMMIT'],
  ],
  'DO NOTHING does not wait for what only locks the row': after(
    'SELECT n FROM item WHERE id = 4 FOR UPDATE',
    ensure,
  ),
  'DO UPDATE with a condition, and a row that is changed': after(
    'UPDATE item SET n = 1 WHERE id = 4',
    'INSERT INTO item VALUES (4, 7) ON CONFLICT (id) DO UPDATE SET n = 9 WHERE item.n = 1',
  ),
  'DO UPDATE with a condition that no longer holds': after(
    'UPDATE item SET n = 1 WHERE id = 4',
    'INSERT INTO item VALUES (4, 7) ON CONFLICT (id) DO UPDATE SET n = 9 WHERE item.n = 0',
  ),
  'DO UPDATE with a condition, and a key that is deleted': after(
    remove,
    'INSERT INTO item VALUES (4, 7) ON CONFLICT (id) DO UPDATE SET n = 9 WHERE item.n = 1',
  ),
};

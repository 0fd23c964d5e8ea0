/**
 * Steps of connections of which one has a row that conflicts with another's, and may be about to remove it. The tables are those of
 * interleavings.test.ts.
 */
import type { Step } from '../helpers/interleaving.ts';
import { beginBoth as begin } from '../helpers/interleaving.ts';

const add = 'UPDATE item SET n = n + 1 WHERE id = 1 RETURNING n';
const remove = 'DELETE FROM item WHERE id = 4';
const insert = 'INSERT INTO item VALUES (4, 7)';

export const obstacles: Readonly<Record<string, readonly Step[]>> = {
  'a key that another connection deletes': [
    ...begin(),
    [0, remove],
    [1, insert],
    [0, 'COMMIT'],
    [1, add],
    [1, 'COMMIT'],
  ],
  'a key that another connection deletes in vain': [
    ...begin(),
    [0, remove],
    [1, insert],
    [0, 'ROLLBACK'],
    [1, 'COMMIT'],
  ],
  'a key that another connection changes': [
    [2, add],
    [0, 'BEGIN'],
    [0, 'UPDATE item SET n = n + 1'],
    [1, 'INSERT INTO item VALUES (1, 7)'],
    [0, 'COMMIT'],
  ],
  'a key that another connection moves': [
    [0, 'BEGIN'],
    [0, 'UPDATE item SET id = 40 WHERE id = 4'],
    [1, insert],
    [0, 'COMMIT'],
  ],
  'a unique value that another connection gives up': [
    ...begin(),
    [0, `UPDATE item SET code = 'x' WHERE id = 1`],
    [1, `INSERT INTO item VALUES (7, 0, 'c1')`],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'a unique value that another connection gives up, of a staged row': [
    [2, `UPDATE item SET code = 'x' WHERE id = 1`],
    ...begin(),
    [0, `UPDATE item SET code = 'y' WHERE id = 1`],
    [1, `UPDATE item SET code = 'x' WHERE id = 2`],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'many keys that another connection deletes': [
    ...begin(),
    [0, 'DELETE FROM item WHERE id > 2'],
    [1, 'INSERT INTO item SELECT g, 7 FROM generate_series(3, 6) g'],
    [0, 'COMMIT'],
    [1, 'COMMIT'],
  ],
  'keys that two connections give up for each other': [
    ...begin(),
    [0, `UPDATE item SET code = 'x' WHERE id = 1`],
    [1, `UPDATE item SET code = 'y' WHERE id = 2`],
    [1, `UPDATE item SET code = 'c1' WHERE id = 3`],
    [0, 'ROLLBACK'],
    [1, 'COMMIT'],
  ],
};

/** Differences from PostgreSQL, where the last statement has another result. */
export const otherwise: Readonly<Record<string, readonly [readonly Step[], string, string]>> = {
  'a parent whose child another connection takes away': [
    [
      [2, 'INSERT INTO part VALUES (1, 1)'],
      [0, 'BEGIN'],
      [0, 'DELETE FROM part'],
      [1, 'DELETE FROM item WHERE id = 1'],
      [0, 'COMMIT'],
    ],
    '23503',
    'waits, DELETE 1',
  ],
  'REPEATABLE READ: a key that another connection deletes': [
    [...begin('REPEATABLE READ'), [1, add], [0, remove], [1, insert], [0, 'COMMIT']],
    'waits, 40001',
    'waits, INSERT 1',
  ],
};

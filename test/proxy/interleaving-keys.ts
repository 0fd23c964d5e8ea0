/**
 * Steps of connections of which one changes the key of a row that another one is changing. The tables are those of interleavings.test.ts.
 */
import type { Step } from '../helpers/interleaving.ts';
import { beginBoth as begin } from '../helpers/interleaving.ts';

const change = 'UPDATE item SET n = n + 1 WHERE id = 4';
const remove = 'DELETE FROM item WHERE id = 4';
const moves = {
  'an UPDATE': 'UPDATE mark SET id = 40 WHERE id = 4 RETURNING n',
  'a MERGE':
    'MERGE INTO mark USING (SELECT 4 AS k) s ON mark.id = s.k WHEN MATCHED THEN UPDATE SET id = 40',
  'an upsert': 'INSERT INTO mark VALUES (4, 7) ON CONFLICT (id) DO UPDATE SET id = 40',
};

/** The first connection begins, the second one waits, the first one ends, and then the second one does. */
const after = (first: string, second: string, end = 'COMMIT'): Step[] => [
  ...begin(),
  [0, first],
  [1, second],
  [0, end],
  [1, 'COMMIT'],
];

/** As `after`, while other transactions begin and end on the server between the two statements. */
const besideOthers = (first: string, second: string): Step[] => {
  const other: Step = [2, `INSERT INTO line VALUES (8, 'x')`];
  return after(first, second).flatMap((step) =>
    step[0] === 1 && step[1] === second ? [other, other, step] : [step],
  );
};

const changeMark = 'UPDATE mark SET n = n + 1 WHERE id = 4';
const removeMark = 'DELETE FROM mark WHERE id = 4';

const afterAnother = Object.entries(moves).flatMap(([name, second]) => [
  [`a key that ${name} changes after a change of the row`, after(changeMark, second)],
  [`a key that ${name} changes after the deletion of the row`, after(removeMark, second)],
  [
    `a key that ${name} changes after the row was left alone`,
    after(removeMark, second, 'ROLLBACK'),
  ],
  [
    `a key that ${name} changes after another change of the key`,
    after('UPDATE mark SET id = 41 WHERE id = 4', second),
  ],
  [`a key that ${name} changes, of a staged row`, [[2, changeMark], ...after(changeMark, second)]],
]);

export const keyChanges: Readonly<Record<string, readonly Step[]>> = {
  ...(Object.fromEntries(afterAnother) as Record<string, Step[]>),
  'a key that was changed, and then the row by another connection': after(
    'UPDATE item SET id = 40 WHERE id = 4',
    change,
  ),
  'a key that two connections want for their rows': after(
    'UPDATE item SET id = 9 WHERE id = 1',
    'UPDATE item SET id = 9 WHERE id = 2',
  ),
  'a taken key, for a row that another connection changes': after(
    change,
    'UPDATE item SET id = 1 WHERE id = 4',
  ),
  'a taken key, for a row that another connection deletes': after(
    remove,
    'UPDATE item SET id = 1 WHERE id = 4',
  ),
  'a taken unique value, for a row that another connection changes': after(
    change,
    `UPDATE item SET code = 'c1' WHERE id = 4`,
  ),
  'a taken unique value, for a row that another connection deletes': after(
    remove,
    `UPDATE item SET code = 'c1' WHERE id = 4`,
  ),
  'a key of a child that follows its parent, after a change of the child': after(
    'UPDATE slot SET n = n + 1 WHERE item = 1',
    'UPDATE item SET id = 9 WHERE id = 1',
  ),
  'a key of a child that follows its parent, after the deletion of the child': after(
    'DELETE FROM slot WHERE item = 1',
    'UPDATE item SET id = 9 WHERE id = 1',
  ),
  'a key in a partitioned table, after a change of the row': after(
    'UPDATE area SET n = n + 1 WHERE id = 1',
    'UPDATE area SET id = 10 WHERE id = 1',
  ),
  'a row that goes to another partition, after a change of the row': after(
    'UPDATE area SET n = n + 1 WHERE id = 1',
    'UPDATE area SET zone = 2 WHERE id = 1 RETURNING n',
  ),
  'a row that goes to another partition, after the deletion of the row': after(
    'DELETE FROM area WHERE id = 1',
    'UPDATE area SET zone = 2 WHERE id = 1',
  ),
  'a row without a key, after a change of the row': after(
    `UPDATE line SET n = n + 1 WHERE code = 'a'`,
    `UPDATE line SET code = 'z' WHERE code = 'a'`,
  ),
  'a row without a key, after the deletion of the row': after(
    `DELETE FROM line WHERE code = 'a'`,
    `UPDATE line SET code = 'z' WHERE code = 'a'`,
  ),
  'a staged row without a key, after a change of the row': [
    [2, `UPDATE line SET n = 5 WHERE code = 'a'`],
    ...besideOthers(
      `UPDATE line SET n = n + 1 WHERE code = 'a'`,
      `UPDATE line SET code = 'z' WHERE code = 'a'`,
    ),
  ],
  'a staged row without a key, after the deletion of the row': [
    [2, `INSERT INTO line VALUES (1, 'q')`],
    ...besideOthers(`DELETE FROM line WHERE code = 'q'`, `DELETE FROM line WHERE code = 'q'`),
  ],
};

/** Staged rows that depend on each other in every way, and the result of unstaging some of them. */

export type Row = readonly [table: string, key?: unknown];

/** Rows with keys that tests can refer to. */
export const toys = 'INSERT INTO toy OVERRIDING SYSTEM VALUE VALUES (1, 1), (2, 1), (3, 3)';

/** The staged statements, the unstaged rows, the rows that must go with them, and the session's rows after that. */
export const stories: readonly (readonly [
  string,
  string,
  readonly Row[],
  readonly string[],
  string,
])[] = [
  [
    'an INSERT',
    `INSERT INTO owner VALUES (9, 'new'), (10, 'other')`,
    [['owner', 9]],
    [],
    `INSERT INTO owner VALUES (10, 'other')`,
  ],
  [
    'a row that was changed twice',
    `UPDATE owner SET name = 'x' WHERE id = 1; UPDATE owner SET name = name || 'y' WHERE id < 3`,
    [['owner', 1]],
    [],
    `UPDATE owner SET name = name || 'y' WHERE id = 2`,
  ],
  ['a DELETE', 'DELETE FROM toy WHERE id < 3', [['toy', 1]], [], 'DELETE FROM toy WHERE id = 2'],
  [
    'a parent with staged children',
    `INSERT INTO owner VALUES (9, 'n'); INSERT INTO pet VALUES (9, 9, 'p'), (10, 1, 'q')`,
    [['owner', 9]],
    ['pet 9'],
    `INSERT INTO pet VALUES (10, 1, 'q')`,
  ],
  [
    'a DELETE with a cascade of two levels',
    'DELETE FROM owner WHERE id < 3',
    [['owner', 1]],
    ['pet 1', 'pet 2', 'toy 1', 'toy 2'],
    'DELETE FROM owner WHERE id = 2',
  ],
  [
    'what a cascade deleted',
    'DELETE FROM owner WHERE id < 3',
    [['toy', 1]],
    ['owner 1', 'pet 1', 'pet 2', 'toy 2'],
    'DELETE FROM owner WHERE id = 2',
  ],
  [
    'a key that children follow',
    'UPDATE owner SET id = 10 WHERE id = 1; UPDATE owner SET id = 20 WHERE id = 2',
    [['owner', 1]],
    ['pet 1', 'pet 2'],
    'UPDATE owner SET id = 20 WHERE id = 2',
  ],
  [
    'a key whose children lose it',
    `UPDATE pet SET id = 10 WHERE id = 1; UPDATE pet SET name = 'x' WHERE id = 2`,
    [['pet', 1]],
    ['toy 1', 'toy 2'],
    `UPDATE pet SET name = 'x' WHERE id = 2`,
  ],
  [
    'a row whose name another one took',
    `UPDATE owner SET name = 'old' WHERE id = 1; UPDATE owner SET name = 'ann' WHERE id = 2`,
    [['owner', 1]],
    ['owner 2'],
    '',
  ],
  [
    'a deleted row whose key another one took',
    `DELETE FROM pet WHERE id = 3; UPDATE pet SET id = 3 WHERE id = 2`,
    [['pet', 3]],
    // Its toys went with it. The other pet moved to its key.
    ['pet 2', 'toy 3'],
    '',
  ],
  [
    'rows that have one key, one after the other',
    `UPDATE odd SET a = 7 WHERE a = 1; INSERT INTO odd (a, b) VALUES (1, 'x')`,
    [['odd', { a: 1, b: 'x' }]],
    [],
    '',
  ],
  [
    'what a row in the place of one that moved refers to',
    `INSERT INTO owner VALUES (9, 'n'); UPDATE pet SET id = 7 WHERE id = 3; INSERT INTO pet VALUES (3, 9, 'p')`,
    [['owner', 9]],
    ['pet 3'],
    'UPDATE pet SET id = 7 WHERE id = 3',
  ],
  [
    'keys that move up',
    'UPDATE node SET id = id + 10 WHERE id = 3; UPDATE owner SET id = id - 1',
    [['owner', 1]],
    ['owner 2', 'owner 3', 'pet 1', 'pet 2', 'pet 3'],
    'UPDATE node SET id = id + 10 WHERE id = 3',
  ],
  [
    'a child that left a parent that was deleted then',
    `UPDATE pet SET owner = 1 WHERE id = 3; DELETE FROM owner WHERE id = 2`,
    [['pet', 3]],
    ['owner 2'],
    '',
  ],
  [
    'a child that was deleted before its parent',
    'DELETE FROM toy WHERE id = 3; DELETE FROM pet WHERE id = 3; DELETE FROM owner WHERE id = 3',
    [['toy', 3]],
    ['pet 3'],
    'DELETE FROM owner WHERE id = 3',
  ],
  [
    'a parent that a child passed through',
    `INSERT INTO owner VALUES (9, 'n'); UPDATE pet SET owner = 9 WHERE id = 1; UPDATE pet SET owner = 2 WHERE id = 1`,
    [['owner', 9]],
    ['pet 1'],
    '',
  ],
  [
    'a name that another row bore for a while',
    `UPDATE owner SET name = 'q' WHERE id = 1; UPDATE owner SET name = 'ann' WHERE id = 2; UPDATE owner SET name = 'z' WHERE id = 2`,
    [['owner', 1]],
    ['owner 2'],
    '',
  ],
  [
    'a row of a tree that refers to itself',
    `INSERT INTO node VALUES (4, 3), (5, 4), (6, 5), (7, 1); UPDATE node SET parent = 7 WHERE id = 3`,
    [['node', 4]],
    ['node 5', 'node 6'],
    'INSERT INTO node VALUES (7, 1); UPDATE node SET parent = 7 WHERE id = 3',
  ],
  [
    'rows that change their partition',
    `UPDATE part SET day = '2026-02-02' WHERE day < '2026-01-01'; DELETE FROM part WHERE day = '2026-05-05'`,
    [['part', { day: '2025-05-05', v: 1 }]],
    [],
    `DELETE FROM part WHERE day = '2026-05-05'`,
  ],
  [
    'one half of a statement that writes to two tables',
    `WITH o AS (INSERT INTO owner VALUES (9, 'n') RETURNING id) UPDATE pet SET name = 'w' WHERE id = 1`,
    [['owner', 9]],
    [],
    `UPDATE pet SET name = 'w' WHERE id = 1`,
  ],
  [
    'a row that came to nothing',
    `INSERT INTO owner VALUES (9, 'x'); DELETE FROM owner WHERE id = 9; UPDATE pet SET name = 'q' WHERE id = 1`,
    [['owner', 9]],
    [],
    `UPDATE pet SET name = 'q' WHERE id = 1`,
  ],
  [
    'a whole table',
    `UPDATE pet SET name = name || '!'; UPDATE owner SET name = name || '!'`,
    [['pet']],
    [],
    `UPDATE owner SET name = name || '!'`,
  ],
  ['a table without a key', 'DELETE FROM loose; INSERT INTO loose VALUES (7)', [['loose']], [], ''],
];

/** Migrations, and their effect on rows that a session staged before. */

export interface Migration {
  readonly name: string;
  /** `$t` stands for the table. */
  readonly ddl: string;
  /** Runs before the case: objects that the migration needs. */
  readonly setup?: string;
  /** A statement of the session after the migration. */
  readonly next?: string;
  /** The table's name afterwards, if it changes. */
  readonly table?: string;
  /** The result of approval: columns of schema conflicts, or the SQLSTATE with which production refuses. */
  readonly conflicts?: readonly (string | null)[];
  readonly refused?: string;
}

export const schema = `
CREATE SCHEMA elsewhere;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TYPE pair AS (a int, b int);
CREATE DOMAIN small AS int CHECK (VALUE < 100);
CREATE TABLE parent (id int PRIMARY KEY);
INSERT INTO parent VALUES (1), (2), (3);`;

export const table = `CREATE TABLE $t (id int PRIMARY KEY, v int, w varchar(10), u int UNIQUE, m mood DEFAULT 'ok', p pair, s small DEFAULT 5,
  double int GENERATED ALWAYS AS (v * 2) STORED);
INSERT INTO $t (id, v, w, u) VALUES (1, 1, 'one', 1), (2, 2, 'two', 2), (3, 3, 'three', 3), (4, 4, 'four', 4)`;

/** An insert that is updated, an update, a deletion, a changed key, a row deleted and inserted again. */
export const before = [
  `INSERT INTO $t (id, v, w) VALUES (10, 10, 'ten')`,
  'UPDATE $t SET v = v + 100 WHERE id IN (1, 10)',
  'DELETE FROM $t WHERE id = 3',
  'UPDATE $t SET id = 22 WHERE id = 2',
  'DELETE FROM $t WHERE id = 4',
  `INSERT INTO $t (id, v, w) VALUES (4, 44, 'again')`,
];

export const after = `UPDATE $t SET w = 'after' WHERE id IN (1, 22)`;

export const migrations: readonly Migration[] = [
  { name: 'ADD COLUMN', ddl: 'ALTER TABLE $t ADD n int' },
  { name: 'ADD COLUMN with a default', ddl: `ALTER TABLE $t ADD n text NOT NULL DEFAULT 'new'` },
  {
    name: 'ADD COLUMN with a volatile default',
    ddl: 'ALTER TABLE $t ADD n float8 DEFAULT random() * 0',
  },
  {
    name: 'ADD COLUMN, then filled',
    ddl: 'ALTER TABLE $t ADD n int; UPDATE $t SET n = 7 WHERE id IN (1, 3)',
  },
  {
    name: 'ADD COLUMN generated',
    ddl: 'ALTER TABLE $t ADD n int GENERATED ALWAYS AS (v + 1) STORED',
  },
  {
    name: 'ADD COLUMN NOT NULL, which staged rows lack',
    ddl: 'ALTER TABLE $t ADD n int NOT NULL DEFAULT 1; ALTER TABLE $t ALTER n DROP DEFAULT',
    refused: '23502',
  },
  { name: 'DROP COLUMN that the session left alone', ddl: 'ALTER TABLE $t DROP u' },
  {
    name: 'DROP COLUMN that the session set',
    ddl: 'ALTER TABLE $t DROP v CASCADE',
    conflicts: ['v'],
  },
  { name: 'DROP of a generated column', ddl: 'ALTER TABLE $t DROP double' },
  {
    name: 'DROP and ADD of a column of the same name',
    ddl: 'ALTER TABLE $t DROP w; ALTER TABLE $t ADD w varchar(10)',
    conflicts: ['w'],
  },
  { name: 'RENAME COLUMN', ddl: 'ALTER TABLE $t RENAME v TO value' },
  {
    name: 'RENAME of the key',
    ddl: 'ALTER TABLE $t RENAME id TO key',
    next: after.replace(' id ', ' key '),
  },
  {
    name: 'columns that swap names',
    ddl: 'ALTER TABLE $t RENAME v TO x; ALTER TABLE $t RENAME u TO v; ALTER TABLE $t RENAME x TO u',
  },
  { name: 'RETYPE without a rewrite', ddl: 'ALTER TABLE $t ALTER w TYPE text' },
  {
    name: 'RETYPE to a longer one',
    ddl: 'ALTER TABLE $t ALTER w TYPE varchar(20)',
    next: `UPDATE $t SET w = 'longer than ten' WHERE id = 1`,
  },
  {
    name: 'RETYPE of a column that the session left alone',
    ddl: 'ALTER TABLE $t ALTER u TYPE bigint',
  },
  {
    name: 'RETYPE of a column that the session set',
    ddl: 'ALTER TABLE $t ALTER w TYPE int USING length(w)',
    conflicts: ['w'],
  },
  { name: 'RETYPE of the key', ddl: 'ALTER TABLE $t ALTER id TYPE bigint', conflicts: ['id'] },
  { name: 'CHECK', ddl: 'ALTER TABLE $t ADD CHECK (v > 0)' },
  {
    name: 'CHECK that staged rows violate',
    ddl: 'ALTER TABLE $t ADD CHECK (v < 100)',
    next: 'SELECT 1',
    refused: '23514',
  },
  { name: 'UNIQUE', ddl: 'ALTER TABLE $t ADD UNIQUE (v)' },
  {
    name: 'UNIQUE that staged rows violate',
    ddl: 'ALTER TABLE $t ADD UNIQUE (w)',
    setup: `UPDATE $t SET w = 'ten' WHERE id = 1`,
    conflicts: ['w'],
  },
  { name: 'FOREIGN KEY', ddl: 'ALTER TABLE $t ADD FOREIGN KEY (u) REFERENCES $t (u)' },
  {
    name: 'FOREIGN KEY that staged rows violate',
    ddl: 'ALTER TABLE $t ADD FOREIGN KEY (v) REFERENCES parent NOT VALID',
    refused: '23503',
  },
  {
    name: 'NOT NULL that staged rows violate',
    ddl: 'ALTER TABLE $t ALTER u SET NOT NULL',
    refused: '23502',
  },
  { name: 'DROP CONSTRAINT', ddl: 'ALTER TABLE $t DROP CONSTRAINT $t_u_key' },
  {
    name: 'SET DEFAULT',
    ddl: 'ALTER TABLE $t ALTER v SET DEFAULT 9',
    next: 'INSERT INTO $t (id) VALUES (30)',
  },
  {
    name: 'another key',
    ddl: 'ALTER TABLE $t ADD k serial; ALTER TABLE $t DROP CONSTRAINT $t_pkey; ALTER TABLE $t ADD PRIMARY KEY (k)',
    conflicts: [null],
  },
  {
    name: 'a key that others refer to',
    ddl: 'CREATE TABLE $t_child (id int PRIMARY KEY, u int REFERENCES $t (u) ON DELETE CASCADE)',
  },
  { name: 'DROP TABLE', ddl: 'DROP TABLE $t', conflicts: [null] },
  {
    name: 'DROP and CREATE TABLE',
    ddl: 'DROP TABLE $t; CREATE TABLE $t (id int PRIMARY KEY, other text)',
    conflicts: [null],
  },
  { name: 'RENAME TABLE', ddl: 'ALTER TABLE $t RENAME TO $t_renamed', table: '$t_renamed' },
  {
    name: 'RENAME TABLE, and another one in its place',
    ddl: 'ALTER TABLE $t RENAME TO $t_old; CREATE TABLE $t (id int PRIMARY KEY)',
    table: '$t_old',
  },
  { name: 'SET SCHEMA', ddl: 'ALTER TABLE $t SET SCHEMA elsewhere', table: 'elsewhere.$t' },
  {
    name: 'enum values',
    ddl: `ALTER TYPE mood ADD VALUE '$t'`,
    next: `UPDATE $t SET m = '$t' WHERE id = 22`,
  },
  { name: 'an attribute of a composite type', ddl: 'ALTER TYPE pair ADD ATTRIBUTE $t int' },
  {
    name: 'a constraint of a domain',
    ddl: 'ALTER DOMAIN small ADD CONSTRAINT $t CHECK (VALUE <> 50)',
    next: 'UPDATE $t SET s = 6 WHERE id = 22',
  },
  { name: 'a domain that allows no nulls', ddl: 'ALTER DOMAIN small SET NOT NULL' },
];

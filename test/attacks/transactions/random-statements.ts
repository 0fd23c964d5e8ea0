/** Random statements that begin, change and misuse transactions. */
import type { Random } from '../../helpers/random.ts';
import type { Course } from './course.ts';
import { follow } from './course.ts';

/** Few names, so that they collide; one is too long. */
const statementNames: readonly string[] = [
  ...['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c', 'd', 'd', 'd'],
  `${'n'.repeat(63)}x`,
];

const modes: readonly string[] = [
  ...['', '', '', ' READ ONLY', ' READ ONLY', ' READ WRITE', ' READ WRITE'],
  ...[' READ ONLY, READ WRITE', ' READ WRITE READ ONLY', ' NOT DEFERRABLE, READ WRITE'],
  ...[' ISOLATION LEVEL SERIALIZABLE', ' ISOLATION LEVEL REPEATABLE READ, READ WRITE'],
  ...[' ISOLATION LEVEL READ COMMITTED READ ONLY', ' ISOLATION LEVEL REPEATABLE READ READ ONLY'],
];
/** In a block only the modes matter. */
const nested = [' READ WRITE', ' READ WRITE', ' READ ONLY, READ WRITE', ...modes];
const accesses = [' READ ONLY', ' READ ONLY', ' READ WRITE', ' READ WRITE, READ ONLY'];
const endings = ['', '', '', ' AND CHAIN', ' AND CHAIN', ' AND NO CHAIN'];
const points = ['p', 'p', 'q', '"P"'];

const beginning = ({ random, isOpen }: Course): string =>
  `${random.pick(['BEGIN', 'BEGIN', 'START TRANSACTION'])}${random.pick(isOpen ? nested : modes)}`;

const ending = (random: Random): string =>
  `${random.pick(['COMMIT', 'COMMIT', 'COMMIT', 'END', 'ROLLBACK', 'ABORT'])}${random.pick(endings)}`;

/** Returns transaction control. Some of it fails: ends without a beginning, savepoints that are not set. */
function control(course: Course): string {
  const { random, isOpen, points: set } = course;
  if (!isOpen && random.chance(0.8)) return beginning(course);
  const known = set.length > 0 && random.chance(0.9) ? random.pick(set) : null;
  const choices = [
    () => ending(random),
    () => ending(random),
    () => beginning(course),
    () => `SAVEPOINT ${random.pick(points)}`,
    () => `SET TRANSACTION${random.pick(accesses)}`,
    () => `SET ${random.pick(['', 'LOCAL '])}transaction_read_only = ${random.pick(['on', 'off'])}`,
  ];
  const point = known ?? random.pick(points);
  const back = () => random.pick([`RELEASE ${point}`, `ROLLBACK TO ${point}`]);
  return random.pick(known !== null || random.chance(0.05) ? [...choices, back, back] : choices)();
}

const switches = ['on', 'off', 'on', 'off', 'DEFAULT'];

function setting({ random }: Course): string {
  const name = random.pick(['default_transaction_read_only', 'transaction_read_only']);
  const value = random.pick(switches);
  return random.pick([
    () => `SET SESSION CHARACTERISTICS AS TRANSACTION${random.pick(accesses)}`,
    () => `SET ${random.pick(['', 'SESSION ', 'LOCAL '])}${name} = ${value}`,
    () => `SET ${random.pick(['', 'LOCAL '])}${name} = ${value}`,
    () => `RESET ${name}`,
    () => `SELECT set_config('${name}', '${random.pick(['on', 'off'])}', ${random.chance(0.5)})`,
    () => (random.chance(0.3) ? random.pick(pinnedSettings) : `SHOW ${name}`),
    () => random.pick(['DISCARD ALL', 'RESET ALL', 'DEALLOCATE ALL', 'DISCARD PLANS']),
    () => `SHOW ${name}`,
  ])();
}

/** The service pins these settings. Setting them to their values changes nothing. */
const pinnedSettings = [
  'SET standard_conforming_strings = on',
  'SET standard_conforming_strings = off',
  `SET client_encoding = 'UTF8'`,
  `SET client_encoding = 'SJIS'`,
  'SET session_replication_role = origin',
  'SET LOCAL session_replication_role = replica',
];

const wrong = ({ random }: Course): string =>
  random.pick(['SELECT 1/0', 'SELECT 1/0', 'SELECT * FROM nowhere', 'SELEC 1']);

export const read = ({ random }: Course): string =>
  random.pick(['SELECT 1', 'SELECT id, v FROM t ORDER BY id', 'SELECT count(*) FROM note', '']);

export function write({ random }: Course): string {
  const id = random.below(9);
  const fresh = 10 + random.below(1000);
  return random.pick([
    `INSERT INTO t VALUES (${fresh}, 'new')`,
    `INSERT INTO t VALUES (${id}, 'new') ON CONFLICT (id) DO UPDATE SET v = 'upserted'`,
    `INSERT INTO note VALUES ('noted')`,
    `UPDATE t SET v = v || '+' WHERE id = ${id}`,
    `DELETE FROM t WHERE id = ${id} RETURNING id`,
    `WITH x AS (UPDATE t SET v = 'with' WHERE id = ${id} RETURNING id) SELECT id FROM x`,
    `MERGE INTO t USING (VALUES (${id})) s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'merged' WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'merged')`,
    'TRUNCATE note',
  ]);
}

const definition = ({ random }: Course): string =>
  random.pick([
    'CREATE TABLE made (id int)',
    'CREATE INDEX made_index ON note (v)',
    'DROP TABLE made',
  ]);

/** Returns what code does without the knowledge of its caller. */
function action(random: Random): string {
  const name = random.pick(statementNames);
  return random.pick([
    () => `DEALLOCATE ${name}`,
    () => `PREPARE ${name} AS INSERT INTO public.note VALUES ('planted')`,
    () => `PREPARE ${name} AS SELECT public.wr_def('planted')`,
    () => `DECLARE c CURSOR FOR SELECT public.wr('cursor')`,
    () => 'CLOSE c',
    () => `SET ${random.pick(['', 'LOCAL '])}transaction_read_only = off`,
    () => 'SET default_transaction_read_only = off',
    () => 'SET standard_conforming_strings = off',
    () => 'SET LOCAL session_replication_role = replica',
    () => `INSERT INTO public.note VALUES ('code')`,
    () => 'SELECT 1/0',
  ])();
}

/** Returns a statement in which code runs a text: in a read, or by an operator in a write, where no name refers to it. */
export function plant(random: Random, text: string): string {
  const reported = `'${text.replaceAll(`'`, `''`)}'`;
  return random.pick([
    `SELECT anything(${reported})`,
    `UPDATE t SET v = 'code' WHERE id = 1 AND ${reported} !> 1`,
    `UPDATE t SET v = 'code' WHERE id = 2 RETURNING ${reported} !> 1`,
  ]);
}

function code({ random }: Course): string {
  return random.pick([
    plant(random, action(random)),
    plant(random, action(random)),
    `SELECT wr('read')`,
    `SELECT wr_def('read')`,
    `SELECT ('attribute'::text).wr_def`,
  ]);
}

/** Returns a prepared name, if there is one; sometimes any name. */
export function preparedName({ random, prepared }: Course): string {
  return prepared.size > 0 && random.chance(0.9)
    ? random.pick([...prepared])
    : random.pick(statementNames);
}

/** Returns a free name, if there is one; sometimes any name. */
export function freeName({ random, prepared }: Course): string {
  const free = statementNames.filter((name) => !prepared.has(name));
  return free.length > 0 && random.chance(0.9) ? random.pick(free) : random.pick(statementNames);
}

/** Returns statements about SQL's own prepared statements and cursors. */
function named(course: Course): string {
  const { random } = course;
  const isPrepared = course.prepared.size > 0 && random.chance(0.7);
  if (!isPrepared) return `PREPARE ${freeName(course)} AS ${write(course)}`;
  const name = preparedName(course);
  return random.pick([
    () => `EXECUTE ${name}`,
    () => `EXECUTE ${name}`,
    () => `DEALLOCATE ${name}`,
    () => 'DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id',
    () => random.pick(['FETCH 2 FROM c', 'FETCH ALL FROM c', 'CLOSE c']),
  ])();
}

type Kind = (course: Course) => string;

/** Mostly transaction control. Errors, code and definitions are rare, because little after them can be tested. */
const kinds: readonly Kind[] = [
  ...[control, control, control, control, control, control, setting],
  ...[write, write, write, write, read, named, named],
];

export function statement(course: Course): string {
  const rare = course.random.below(100);
  const kind =
    rare < 3 ? code : rare < 4 ? definition : rare < 7 ? wrong : course.random.pick(kinds);
  const text = kind(course);
  follow(course, text);
  return text;
}

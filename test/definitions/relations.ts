/**
 * Random changes of definitions, with what they leave behind:
 *
 * | Change | of | leaves |
 * |---|---|---|
 * | CREATE TABLE; INHERITS; PARTITION OF | nothing, a table, a partitioned table | a table; a child; a partition |
 * | INHERIT, NO INHERIT; ATTACH PARTITION | tables that nobody wrote to | a child, or none any more; a partition |
 * | CREATE VIEW, CREATE OR REPLACE VIEW | tables and views | a view, perhaps of another relation than before |
 * | ADD, DROP, RENAME COLUMN | tables | other columns, of children too |
 * | RENAME, SET SCHEMA; three RENAMEs | anything; two tables | another name; each other's name |
 * | DROP ... CASCADE | views, and tables that nobody wrote to | a name for whatever comes next |
 */
import type { Random } from '../helpers/random.ts';

export interface Relation {
  schema: string;
  name: string;
  readonly kind: 'table' | 'partitioned' | 'view';
  /** The columns besides `id` and `v`, which all of them have. */
  readonly columns: string[];
  parent: Relation | null;
  /** The first of the ten ids of a partition; null for other relations. */
  from: number | null;
  /** Whether the session has written to it, by whatever name. */
  isWritten: boolean;
}

/** The existing relations, if all earlier changes succeeded. */
export type Relations = Relation[];

const schemas = ['public', 'other'];
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const most = 9;

export const fullName = ({ schema, name }: Relation) => `${schema}.${name}`;

const treeOf = (relations: Relations, top: Relation): Relation[] => [
  top,
  ...relations.filter(({ parent }) => parent === top).flatMap((each) => treeOf(relations, each)),
];

function freeName(random: Random, relations: Relations): Pick<Relation, 'schema' | 'name'> {
  for (;;) {
    const found = { schema: random.pick(schemas), name: random.pick(names) };
    if (!relations.some(({ schema, name }) => schema === found.schema && name === found.name))
      return found;
  }
}

type Named = Pick<Relation, 'schema' | 'name' | 'kind'>;

/** Returns a relation that nothing has changed yet. */
export const newRelation = (given: Named & Partial<Relation>): Relation => ({
  columns: [],
  parent: null,
  from: null,
  isWritten: false,
  ...given,
});

type Change = (random: Random, relations: Relations) => string | null;

function pickOf(
  random: Random,
  relations: Relations,
  fits: (relation: Relation) => boolean,
): Relation | null {
  const found = relations.filter(fits);
  return found.length === 0 ? null : random.pick(found);
}

function add(
  random: Random,
  relations: Relations,
  given: Pick<Relation, 'kind'> & Partial<Relation>,
): Relation | null {
  if (relations.length >= most) return null;
  const made = newRelation({ ...freeName(random, relations), ...given });
  relations.push(made);
  return made;
}

const isPlain = ({ kind, from }: Relation) => kind === 'table' && from === null;
const isLoose = (relations: Relations) => (relation: Relation) =>
  isPlain(relation) &&
  relation.parent === null &&
  !relation.isWritten &&
  !relations.some(({ parent }) => parent === relation);

const createTable: Change = (random, relations) => {
  const made = add(random, relations, { kind: random.chance(0.2) ? 'partitioned' : 'table' });
  const partitions = made?.kind === 'partitioned' ? ' PARTITION BY RANGE (id)' : '';
  return made && `CREATE TABLE ${fullName(made)} (id int PRIMARY KEY, v text)${partitions}`;
};

const createChild: Change = (random, relations) => {
  const parent = pickOf(random, relations, isPlain);
  const made =
    parent && add(random, relations, { kind: 'table', parent, columns: [...parent.columns] });
  return made && `CREATE TABLE ${fullName(made)} (PRIMARY KEY (id)) INHERITS (${fullName(parent)})`;
};

/** Chooses a partitioned table, with ids for which it has no partition yet. */
function pickRoom(random: Random, relations: Relations): { parent: Relation; from: number } | null {
  const parent = pickOf(random, relations, ({ kind }) => kind === 'partitioned');
  const from = random.below(3) * 10;
  const isTaken = relations.some((each) => each.parent === parent && each.from === from);
  return parent === null || isTaken ? null : { parent, from };
}

const bounds = (from: number) => `FOR VALUES FROM (${from}) TO (${from + 10})`;

const createPartition: Change = (random, relations) => {
  const room = pickRoom(random, relations);
  if (room === null) return null;
  const { parent, from } = room;
  const made = add(random, relations, { kind: 'table', ...room, columns: [...parent.columns] });
  return made && `CREATE TABLE ${fullName(made)} PARTITION OF ${fullName(parent)} ${bounds(from)}`;
};

const attach: Change = (random, relations) => {
  const room = pickRoom(random, relations);
  const child = room && pickOf(random, relations, isLoose(relations));
  if (!child || child.columns.join() !== room.parent.columns.join()) return null;
  Object.assign(child, room);
  return `ALTER TABLE ${fullName(room.parent)} ATTACH PARTITION ${fullName(child)} ${bounds(room.from)}`;
};

const inherit: Change = (random, relations) => {
  const child = pickOf(random, relations, isLoose(relations));
  const parent = child && pickOf(random, relations, (each) => isPlain(each) && each !== child);
  if (!child || !parent?.columns.every((column) => child.columns.includes(column))) return null;
  child.parent = parent;
  return `ALTER TABLE ${fullName(child)} INHERIT ${fullName(parent)}`;
};

const disinherit: Change = (random, relations) => {
  const child = pickOf(random, relations, (each) => isPlain(each) && each.parent !== null);
  if (!child?.parent) return null;
  const text = `ALTER TABLE ${fullName(child)} NO INHERIT ${fullName(child.parent)}`;
  child.parent = null;
  return text;
};

const viewText = (random: Random, source: Relation) => {
  const condition = random.chance(0.5) ? ` WHERE id < ${5 + random.below(20)}` : '';
  return `SELECT id, v FROM ${random.chance(0.2) && source.kind === 'table' ? 'ONLY ' : ''}${fullName(source)}${condition}`;
};

const createView: Change = (random, relations) => {
  const source = random.pick(relations);
  const made = add(random, relations, { kind: 'view', parent: null });
  return made && `CREATE VIEW ${fullName(made)} AS ${viewText(random, source)}`;
};

const replaceView: Change = (random, relations) => {
  const view = pickOf(random, relations, ({ kind }) => kind === 'view');
  const source = view && pickOf(random, relations, ({ kind }) => kind !== 'view');
  return source && `CREATE OR REPLACE VIEW ${fullName(view)} AS ${viewText(random, source)}`;
};

const roots = ({ kind, parent }: Relation) => kind !== 'view' && parent === null;

const addColumn: Change = (random, relations) => {
  const table = pickOf(random, relations, roots);
  if (!table || table.columns.length > 2) return null;
  const column = `x${random.below(100)}`;
  for (const each of treeOf(relations, table)) each.columns.push(column);
  const type = random.pick(['int', 'int DEFAULT 7', `text NOT NULL DEFAULT 'new'`]);
  return `ALTER TABLE ${fullName(table)} ADD COLUMN ${column} ${type}`;
};

const dropColumn: Change = (random, relations) => {
  const table = pickOf(random, relations, (each) => roots(each) && each.columns.length > 0);
  if (!table) return null;
  const column = random.pick(table.columns);
  for (const { columns } of treeOf(relations, table)) columns.splice(columns.indexOf(column), 1);
  return `ALTER TABLE ${fullName(table)} DROP COLUMN ${column}`;
};

const renameColumn: Change = (random, relations) => {
  const table = pickOf(random, relations, (each) => roots(each) && each.columns.length > 0);
  if (!table) return null;
  const column = random.pick(table.columns);
  const other = `y${random.below(100)}`;
  for (const { columns } of treeOf(relations, table))
    columns.splice(columns.indexOf(column), 1, other);
  return `ALTER TABLE ${fullName(table)} RENAME COLUMN ${column} TO ${other}`;
};

const alterWord = ({ kind }: Relation) => (kind === 'view' ? 'ALTER VIEW' : 'ALTER TABLE');

const rename: Change = (random, relations) => {
  const relation = random.pick(relations);
  const { name } = freeName(random, relations);
  if (relations.some((each) => each.schema === relation.schema && each.name === name)) return null;
  const text = `${alterWord(relation)} ${fullName(relation)} RENAME TO ${name}`;
  relation.name = name;
  return text;
};

const move: Change = (random, relations) => {
  const relation = random.pick(relations);
  const schema = relation.schema === 'public' ? 'other' : 'public';
  if (relations.some((each) => each.schema === schema && each.name === relation.name)) return null;
  const text = `${alterWord(relation)} ${fullName(relation)} SET SCHEMA ${schema}`;
  relation.schema = schema;
  return text;
};

const swap: Change = (random, relations) => {
  const one = pickOf(random, relations, ({ kind }) => kind !== 'view');
  const isOther = (each: Relation) =>
    each !== one && each.kind !== 'view' && each.schema === one?.schema;
  const other = one && pickOf(random, relations, isOther);
  if (!other) return null;
  const [first, second] = [one.name, other.name];
  one.name = second;
  other.name = first;
  return `ALTER TABLE ${one.schema}.${first} RENAME TO swapped; ALTER TABLE ${one.schema}.${second} RENAME TO ${first}; ALTER TABLE ${one.schema}.swapped RENAME TO ${second}`;
};

const drop: Change = (random, relations) => {
  const isDroppable = (each: Relation) =>
    each.kind === 'view' || treeOf(relations, each).every(({ isWritten }) => !isWritten);
  const relation = pickOf(random, relations, isDroppable);
  if (!relation || relations.length < 4) return null;
  for (const gone of treeOf(relations, relation)) relations.splice(relations.indexOf(gone), 1);
  return `DROP ${relation.kind === 'view' ? 'VIEW' : 'TABLE'} ${fullName(relation)} CASCADE`;
};

const changes: readonly Change[] = [
  ...[createTable, createTable, createChild, createChild, createPartition, createPartition, attach],
  ...[
    inherit,
    disinherit,
    createView,
    createView,
    replaceView,
    addColumn,
    dropColumn,
    renameColumn,
  ],
  ...[rename, move, swap, drop],
];

/** Draws a change as SQL, and applies it to the relations. */
export function randomChange(random: Random, relations: Relations): string {
  for (;;) {
    const text = random.pick(changes)(random, relations);
    if (text) return text;
  }
}

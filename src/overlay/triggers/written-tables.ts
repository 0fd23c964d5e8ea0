/** Decides which tables a trigger may write to while rows are staged: those to which nothing else follows from a new row. */
import { readTable } from '../../db/catalog-reader.ts';
import type { Queryable } from '../../db/database.ts';
import type { ForeignKey, Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import type { FoundFunction } from '../../sql/functions/effects.ts';
import { harmfulInDefinition } from '../../sql/functions/functions.ts';
import { Obstacle } from '../functions/function-script.ts';
import { obstacleOf } from '../install/obstacle.ts';
import { oidArray } from '../object-names.ts';
import { kindApart } from './candidates.ts';

const acts = ({ onDelete, onUpdate }: ForeignKey) =>
  [onDelete, onUpdate].some((action) => action !== 'no action' && action !== 'restrict');

/** Returns the names of the tables that a body writes to. */
export const writtenNames = ({ relations }: BodyUses): QualifiedName[] =>
  relations.flatMap(({ target, schema, name }) => (target === null ? [] : { schema, name }));

/** A table that a trigger writes to. */
export interface WrittenTable {
  readonly table: Table;
  /** The tables that its foreign keys refer to. Their overlays are needed, too. */
  readonly parents: readonly Table[];
}

/**
 * Reads the tables that a trigger writes to.
 * @param names as its body has them
 * @param path the OIDs of the schemas in which it finds names
 * @param noteParent gets each table that the foreign keys of these refer to, also if the trigger may not write to them: it may once that changes
 * @throws Obstacle for a table to which a trigger may not write while rows are staged
 */
export async function writtenTables(
  tx: Queryable,
  names: readonly QualifiedName[],
  path: readonly number[],
  noteParent: (parent: Table) => void,
): Promise<WrittenTable[]> {
  const found = new Map<number, WrittenTable>();
  for (const name of names) {
    const [row] = await tx.query('SELECT stage.relation_in($1, $2) AS oid', [
      JSON.stringify(name),
      oidArray(path),
    ]);
    const oid = Number(row?.['oid'] ?? 0);
    const table = oid === 0 ? null : await readTable(tx, oid);
    if (table === null) throw new Obstacle(`writes to ${name.name}, which is no table`);
    const parents = await parentsOf(tx, table);
    parents.forEach(noteParent);
    const obstacle = ownObstacle(table) ?? parentObstacle(parents) ?? (await codeObstacle(tx, oid));
    const shown = shownName(table.schema, table.name);
    // guard: a trigger writes to no table where more would follow from it
    if (obstacle !== null) throw new Obstacle(`writes to ${shown}, which ${obstacle}`);
    found.set(oid, { table, parents });
  }
  return [...found.values()];
}

async function parentsOf(tx: Queryable, { references }: Table): Promise<Table[]> {
  const parents: Table[] = [];
  for (const oid of new Set(references.map(({ parent }) => parent.oid))) {
    const parent = await readTable(tx, oid);
    if (parent !== null) parents.push(parent);
  }
  return parents;
}

const parentObstacle = (parents: readonly Table[]) =>
  parents.some((parent) => obstacleOf(parent) !== null)
    ? 'refers to a table that cannot be staged'
    : null;

/** Returns why no trigger may write to a table, as the end of "which ..."; null if it may. */
function ownObstacle(table: Table): string | null {
  const obstacle = obstacleOf(table);
  if (obstacle !== null) return obstacle;
  const kind = kindApart(table);
  if (kind !== null) return `is ${kind}`;
  if (table.triggers.length > 0) return 'has triggers';
  if (table.referencedBy.length > 0) return 'is referred to by foreign keys';
  if (table.references.some((key) => acts(key) || key.deferrable))
    return 'has a foreign key that acts, or is deferrable';
  if (table.uniques.some(({ timing }) => timing !== 'immediate'))
    return 'has a deferrable constraint';
  return null;
}

/** The definition of the table may call functions that no statement names. */
async function codeObstacle(tx: Queryable, oid: number): Promise<string | null> {
  const [row] = await tx.query(
    'SELECT stage.runs_code($1) AS code, stage.definition_calls($1)::text AS calls',
    [oid],
  );
  const calls = JSON.parse(row?.['calls'] ?? '[]') as FoundFunction[];
  const isPlain = row?.['code'] !== 't' && harmfulInDefinition(calls, []) === null;
  return isPlain ? null : 'calls functions in its definition';
}

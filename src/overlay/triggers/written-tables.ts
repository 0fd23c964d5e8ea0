/** Decides which tables a trigger may write to while rows are staged: those whose own rules can be followed from there. */
import { readTable } from '../../db/catalog-reader.ts';
import type { Queryable } from '../../db/database.ts';
import type { ForeignKey, Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import type { BodyUses, BodyWrite } from '../../sql/functions/body-uses.ts';
import type { FoundFunction } from '../../sql/functions/effects.ts';
import { harmfulInDefinition } from '../../sql/functions/functions.ts';
import { asWrittenBy } from '../functions/as-written-by.ts';
import { columnAt, policiesObstacle } from '../functions/check-writing.ts';
import { Obstacle } from '../functions/function-script.ts';
import { targetNamed } from '../functions/named-table.ts';
import type { Lookup } from '../functions/own-path.ts';
import { readLinkedTable } from '../install/linked-tables.ts';
import { obstacleOf } from '../obstacle.ts';
import type { Operation } from '../rows/after-statement.ts';
import { kindApart, rowTriggers } from './candidates.ts';

const acting = (...actions: readonly ForeignKey['onDelete'][]) =>
  actions.some((action) => action !== 'no action' && action !== 'restrict');

/** Returns the tables that a body writes to, each with what it does there, and the columns to which it gives values. */
export const writtenNames = ({ writes }: BodyUses) =>
  writes.map(({ schema, name, operation, given }) => ({ schema, name, operation, given }));

/** A table that a trigger writes to. */
export interface WrittenTable {
  readonly table: Table;
  /** The tables at the other end of its foreign keys. Their overlays are needed, too. */
  readonly linked: readonly Table[];
  /** What the trigger does there. */
  readonly operations: readonly Operation[];
}

/**
 * Reads the tables that a trigger writes to.
 * @param writes those of its body
 * @param lookup how it finds names, and whose rights apply to it
 * @param noteLinked gets each table that foreign keys connect with these, even if the trigger may not write to them: it may once these
 * change
 * @throws Obstacle for a table to which a trigger may not write while rows are staged
 */
export async function writtenTables(
  tx: Queryable,
  writes: readonly BodyWrite[],
  { path, role }: Lookup,
  noteLinked: (linked: Table) => void,
): Promise<WrittenTable[]> {
  const found = new Map<number, WrittenTable>();
  for (const write of writes) {
    const table = await targetNamed(tx, write, path);
    const { oid } = table;
    const seen = await asWrittenBy(tx, table, role);
    const { linked, isWhole } = await linkedTables(tx, table);
    linked.forEach(noteLinked);
    const obstacle =
      policiesObstacle(seen, role) ??
      ownObstacle(seen, write) ??
      linkedObstacle(isWhole) ??
      (await codeObstacle(tx, seen));
    const shown = shownName(table.schema, table.name);
    // guard: a trigger writes to no table where more would follow from it
    if (obstacle !== null) throw new Obstacle(`writes to ${shown}, which ${obstacle}`);
    const operation = write.operation.toLowerCase() as Operation;
    const operations = [...(found.get(oid)?.operations ?? []), operation];
    found.set(oid, { table, linked, operations });
  }
  return [...found.values()];
}

/** Returns the tables at the other end of a table's foreign keys, and whether they all can have overlays. */
async function linkedTables(tx: Queryable, { references, referencedBy }: Table) {
  const linked: Table[] = [];
  let isWhole = true;
  const oids = [
    ...references.map(({ parent }) => parent.oid),
    ...referencedBy.map(({ child }) => child.oid),
  ];
  for (const oid of new Set(oids)) {
    const table = await readTable(tx, oid);
    if (table === null) continue;
    const usable = await readLinkedTable(tx, table);
    if (usable === null) isWhole = false;
    linked.push(usable ?? table);
  }
  return { linked, isWhole };
}

const linkedObstacle = (isWhole: boolean) =>
  isWhole ? null : 'is connected with a table that cannot be staged';

/** Returns why no trigger may write to a table in this way, as the end of "which ..."; null if it may. */
function ownObstacle(table: Table, write: BodyWrite): string | null {
  const obstacle = obstacleOf(table);
  if (obstacle !== null) return obstacle;
  const kind = kindApart(table);
  if (kind !== null) return `is ${kind}`;
  // guard: a trigger changes no rows at approval that policies hide from the client
  if (table.policies !== null && write.operation !== 'INSERT')
    return 'is a table with row-level security';
  if (write.operation === 'INSERT') return insertObstacle(table, write);
  return write.operation === 'UPDATE' ? updateObstacle(table, write) : deleteObstacle(table);
}

/**
 * Returns why no trigger may insert into a table. Staged rows may refer to the row: at approval, where the trigger inserts it again, it has
 * the same key if the statement gives the key a value. If that value is drawn, too, production refuses the rows that refer to it.
 */
function insertObstacle(table: Table, { given }: BodyWrite): string | null {
  const names = given.map((each) => columnAt(table, each)?.name);
  // guard: no staged row refers to a key that approval draws again
  if (table.referencedBy.some(({ parent }) => parent.columns.some((each) => !names.includes(each))))
    return 'draws a key to which foreign keys refer';
  if (table.referencedBy.some(({ deferrable }) => deferrable))
    return 'is referred to by a foreign key that is deferrable';
  if (table.references.some(({ deferrable }) => deferrable))
    return 'has a foreign key that is deferrable';
  if (table.uniques.some(({ timing }) => timing !== 'immediate'))
    return 'has a deferrable constraint';
  return null;
}

/**
 * Returns why no trigger may update a table. An update does not concern the constraints of columns that it leaves alone. Where BEFORE
 * triggers fire, it may set any.
 */
function updateObstacle(table: Table, { columns }: BodyWrite): string | null {
  const isAnySet = columns === null || rowTriggers(table, 'update').length > 0;
  const sets = (names: readonly string[]) =>
    isAnySet || names.some((name) => columns.includes(name));
  const isActedUpon = table.referencedBy.some(
    ({ parent, onUpdate, deferrable }) => (acting(onUpdate) || deferrable) && sets(parent.columns),
  );
  if (isActedUpon) return 'is referred to by a foreign key that acts, or is deferrable';
  if (table.references.some(({ child, deferrable }) => deferrable && sets(child.columns)))
    return 'has a foreign key that is deferrable';
  // an index may have expressions and predicates over any columns
  if (table.uniques.some(({ timing }) => timing !== 'immediate'))
    return 'has a deferrable constraint';
  return null;
}

const deleteObstacle = ({ referencedBy }: Table): string | null =>
  referencedBy.some(({ onDelete, deferrable }) => acting(onDelete) || deferrable)
    ? 'is referred to by a foreign key that acts, or is deferrable'
    : null;

/**
 * Returns why no trigger may write to a table whose definition calls functions with effects: no statement names these. Policies count if
 * they apply. Code of users runs under the tripwire, as in a statement of the client.
 */
async function codeObstacle(tx: Queryable, { oid, policies }: Table): Promise<string | null> {
  const [row] = await tx.query('SELECT stage.definition_calls($1, $2)::text AS calls', [
    oid,
    String(policies !== null),
  ]);
  const calls = JSON.parse(row?.['calls'] ?? '[]') as FoundFunction[];
  const harmful = harmfulInDefinition(calls, []);
  return harmful && `calls ${harmful.name}() in its definition`;
}

/** Decides which functions that write are staged: those whose only effects are on rows of tables that can be staged. */
import { setInternalPath } from '../../db/connection-settings.ts';
import type { Queryable } from '../../db/database.ts';
import type { Column, Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import type { Right } from '../../sql/write.ts';
import { obstacleOf } from '../obstacle.ts';
import { kindApart } from '../triggers/candidates.ts';
import { asWrittenBy } from './as-written-by.ts';
import { checkBody } from './check-body.ts';
import type { FoundUses } from './function-script.ts';
import { Obstacle } from './function-script.ts';
import type { FunctionUses } from './known-functions.ts';
import { targetNamed } from './named-table.ts';
import type { Lookup, RecordedName } from './own-path.ts';
import { recorded } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
  /** Whether the calls that notify are replaced in the copies. */
  readonly hasStandIns?: boolean;
}

/**
 * Checks what the bodies of functions that write call.
 * @throws Obstacle for a call that has effects other than on rows, or whose effects are unknown
 */
export async function checkWriting(
  context: Context,
  bodies: readonly BodyUses[],
  uses: FoundUses,
): Promise<void> {
  for (const body of bodies) await checkBody({ ...context, uses, extent: 'writes' }, body);
  // names of the service's own statements are not found in schemas of users
  await context.tx.query(setInternalPath);
}

/**
 * Collects the tables that a body writes to.
 * @throws Obstacle for one to which a staged function cannot write
 */
export async function noteWritten(own: Context, body: BodyUses, uses: FunctionUses): Promise<void> {
  const targets = body.relations.filter(({ target }) => target !== null);
  // guard: staged functions are made anew when a table changes that they write to
  uses.relations.push(...targets.map((target) => recorded(own, target)));
  uses.written.push(...(await checkWritten(own, body)));
}

/**
 * Returns the tables that a body writes to, by their full names.
 * @throws Obstacle for a table to which a staged function cannot write, or for values that PostgreSQL refuses
 */
export async function checkWritten(
  { tx, path, role }: Context,
  { relations, rights }: BodyUses,
): Promise<RecordedName[]> {
  const written: RecordedName[] = [];
  for (const use of relations) {
    if (use.target === null) continue;
    const table = await targetNamed(tx, use, path);
    const seen = await asWrittenBy(tx, table, role);
    const own = rights.filter(({ target }) => target === use.start);
    const obstacle = policiesObstacle(seen, role) ?? tableObstacle(seen, own);
    if (obstacle !== null)
      throw new Obstacle(`writes to ${shownName(table.schema, table.name)}, which ${obstacle}`);
    written.push(recorded({ role }, { schema: table.schema, name: table.name }));
  }
  return written;
}

/** Returns why code with the rights of an owner cannot write to a table with policies, as the end of "which ..."; null if it can. */
export const policiesObstacle = ({ policies }: Table, role: number | undefined) =>
  // guard: code with its owner's rights writes to no table whose policies apply to the owner
  role !== undefined && policies !== null ? 'is a table with row-level security' : null;

/** Returns why a staged function cannot write to a table, as the end of "which ..."; null if it can. */
function tableObstacle(table: Table, rights: readonly Right[]): string | null {
  const obstacle = obstacleOf(table);
  if (obstacle !== null) return obstacle;
  const kind = kindApart(table);
  if (kind !== null) return `is ${kind}`;
  // guard: PostgreSQL refuses values for columns that it fills itself
  if (rights.some((right) => fills(table, right)))
    return 'fills a column itself to which the function gives a value';
  return null;
}

/** Returns whether a statement gives a value to a column that PostgreSQL fills, or a star of it may. */
const fills = (table: Table, { given, star }: Right) =>
  given.some((column) => isFilled(columnAt(table, column))) ||
  (star !== null && table.columns.slice(star).some(isFilled));

/** Returns the column of a name, or at a position from 0. */
export const columnAt = ({ columns }: Table, column: string | number): Column | undefined =>
  typeof column === 'number' ? columns[column] : columns.find(({ name }) => name === column);

const isFilled = (column: Column | undefined) =>
  column !== undefined && (column.generated !== null || column.identity === 'always');

/**
 * Lets a write in a copy call functions that write. Its table is recorded before the statement runs, so that these functions do not write
 * to that table.
 */
import type { Queryable } from '../../db/database.ts';
import { quoteLiteral } from '../../identifier.ts';
import type { BodyReplacement } from '../../sql/functions/body-upserts.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import type { CallPlace } from '../../sql/places.ts';
import { settingKey } from '../rows/after-statement.ts';
import { Obstacle } from './function-script.ts';
import type { Known, OwnFunctions } from './known-functions.ts';
import { targetNamed } from './named-table.ts';
import type { Lookup } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
  readonly own?: OwnFunctions;
}

/**
 * Returns the calls that precede the statements of a body that write and call a function that writes.
 * @throws Obstacle if the function writes to the table of such a statement, or decides about rows
 */
export async function callsOfWrites(
  { tx, path, own }: Context,
  { name, isCondition }: Pick<CallPlace, 'name' | 'isCondition'>,
  known: Known,
  { relations, callers }: BodyUses,
): Promise<BodyReplacement[]> {
  const calls: BodyReplacement[] = [];
  if (known.uses.writes !== true) return calls;
  // guard: no condition of a body calls a function that writes
  if (isCondition) throw new Obstacle(`calls ${name}(), which writes, in WHERE or ON`);
  for (const { target, operation, first, called } of callers) {
    if (!called.some((each) => each.name === name)) continue;
    // guard: a write calls no function in which it stands
    if (own?.known === known)
      throw new Obstacle(`calls ${name}(), which writes, in its own ${operation}`);
    const use = relations.find(({ start }) => start === target);
    if (!use) throw new Obstacle('cannot be followed');
    const table = await targetNamed(tx, use, path);
    const isSame = (each: QualifiedName) =>
      each.name === table.name && each.schema === table.schema;
    if (known.uses.written?.some(isSame))
      throw new Obstacle(`calls ${name}(), which writes to ${table.name}, in ${operation} of it`);
    const key = quoteLiteral(settingKey(table, operation));
    calls.push({ ...first, call: `stage.begin_calling(${key})` });
  }
  return calls;
}

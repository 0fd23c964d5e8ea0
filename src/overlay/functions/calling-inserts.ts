/** Lets INSERT in a copy call functions that write: its table is noted before the statement runs, so that these do not write to it. */
import type { Queryable } from '../../db/database.ts';
import type { BodyReplacement } from '../../sql/functions/body-upserts.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import { Obstacle } from './function-script.ts';
import type { Known, OwnFunctions } from './known-functions.ts';
import { targetNamed } from './named-table.ts';
import type { Lookup } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
  readonly own?: OwnFunctions;
}

/**
 * Returns the calls that precede the INSERT statements of a body which call a function that writes.
 * @throws Obstacle if the function writes to the table of such a statement
 */
export async function callsOfInserts(
  { tx, path, own }: Context,
  { name }: QualifiedName,
  known: Known,
  { relations, inserts }: BodyUses,
): Promise<BodyReplacement[]> {
  const calls: BodyReplacement[] = [];
  if (known.uses.writes !== true) return calls;
  for (const { target, first, called } of inserts) {
    if (!called.some((each) => each.name === name)) continue;
    // guard: an INSERT calls no function in which it stands
    if (own?.known === known)
      throw new Obstacle(`calls ${name}(), which writes, in its own INSERT`);
    const use = relations.find(({ start }) => start === target);
    if (!use) throw new Obstacle('cannot be followed');
    const table = await targetNamed(tx, use, path);
    const isSame = (each: QualifiedName) =>
      each.name === table.name && each.schema === table.schema;
    if (known.uses.written?.some(isSame))
      throw new Obstacle(`calls ${name}(), which writes to ${table.name}, in an INSERT into it`);
    calls.push({ ...first, call: `stage.begin_calling(${table.oid})` });
  }
  return calls;
}

/** Replaces the relations that a body names. */
import type { Queryable } from '../../db/database.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import type { Replacement } from '../../sql/splice.ts';
import { completedGroupings } from '../views/dependent-columns.ts';
import type { Source } from '../views/table-source.ts';
import type { FoundUses } from './function-script.ts';
import { nameOf } from './known-functions.ts';
import { sourceNamed } from './named-source.ts';
import type { Lookup } from './own-path.ts';
import { recorded } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
  readonly server: number;
}

/**
 * Makes the replacements of relations, and returns the texts that replace their names.
 * @param uses gets the names in the body
 * @throws Obstacle, or StageError for a relation that cannot be read with staged rows
 */
export async function relationsIn(
  context: Context,
  body: BodyUses,
  uses: FoundUses,
): Promise<Replacement[]> {
  const replacements: Replacement[] = [];
  const sources = new Map<string, Source>();
  for (const use of body.relations) {
    // a relation that an INSERT only writes to needs no right to be read
    if (!('target' in use) || use.target === null) uses.relations.push(recorded(context, use));
    const source = await sourceNamed(context, use, sources);
    const overlay = use.only ? source?.only : source?.name;
    if (overlay) replacements.push({ start: use.start, end: use.end, text: overlay });
  }
  for (const { start, end, ...qualified } of body.qualifiers) {
    const overlay = (await sourceNamed(context, qualified, sources))?.name;
    const column = quoteIdentifier(qualified.name);
    if (overlay) replacements.push({ start, end, text: overlay.slice(0, -column.length) });
  }
  const grouped = completedGroupings(body.groupings, (relation) => {
    const use = body.relations.find(({ start }) => start === relation);
    return (use && sources.get(JSON.stringify(nameOf(use)))?.dependents) ?? null;
  });
  return [...replacements, ...grouped];
}

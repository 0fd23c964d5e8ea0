/** The text of a copy of a body. */
import type { BodyReplacement } from '../../sql/functions/body-upserts.ts';
import type { FunctionBody } from '../../sql/functions/body-uses.ts';
import { Obstacle } from './function-script.ts';

/**
 * Returns the text of a copy of a body.
 * @throws Obstacle if more than the names would change in it
 */
export async function replacedBody(
  body: FunctionBody,
  replacements: readonly BodyReplacement[],
): Promise<string> {
  // rows are not locked: the service's checks at the end of a statement detect changes by others
  const unlocked = body.uses.locking.map(({ start, end }) => ({ start, end, text: ' ' }));
  const text = await body.replaced([...replacements, ...unlocked]);
  if (text === null) throw new Obstacle('cannot be followed');
  return text.toString();
}

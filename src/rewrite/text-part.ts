/** Parts of a statement that are sent by themselves. */

import type { TextPart } from '../sql/places.ts';
import type { Replacement } from '../sql/splice.ts';
import { spliceBytes } from '../sql/splice.ts';

/**
 * Gives a part's text from one place in the statement to another.
 * @param replacements in the whole statement
 */
export function splicedPart(
  part: TextPart,
  replacements: readonly Replacement[],
  start = part.start,
  end = part.end,
): string {
  const inside = replacements
    .filter((each) => each.start >= start && each.end <= end)
    .map((each) => ({ ...each, start: each.start - start, end: each.end - start }));
  return spliceBytes(part.text.subarray(start - part.start, end - part.start), inside).toString();
}

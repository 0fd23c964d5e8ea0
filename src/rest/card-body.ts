/** Bodies of stored cards. */
import type { Overlap } from '../model/brief.ts';
import { cardHeadShape, flagShape, overlapShape } from '../model/brief.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { writerOf } from '../model/shape.ts';
import { withOverlaps } from '../review/brief/brief.ts';
import type { StoredCard } from '../review/brief/card-store.ts';

export const cardHeadBody = writerOf(cardHeadShape);
const flagBody = writerOf(flagShape);
const overlapBody = writerOf(overlapShape);

/** Returns the body of a card for a caller who may see every table. @param overlaps as they are now; by default those of the card */
export function cardBody(
  card: StoredCard,
  overlaps: readonly Overlap[] = card.overlaps,
): JsonObject {
  const { sessionId, revision, tables, flags } = card;
  return {
    session_id: sessionId,
    id: sessionId,
    ...cardHeadBody(card),
    revision,
    tables,
    flags: withOverlaps(flags, overlaps).map(flagBody),
    overlaps: overlaps.map(overlapBody),
  };
}

/** Flags that any caller may see, whatever is hidden. */
const plainFlags = new Set(['deletes', 'further_changes']);

/**
 * Returns the body of a card for a caller who may not see every table: counts only. Whether a table may be seen depends on the database
 * roles' rights now, not on those when the card was stored.
 */
export function countsBody(card: StoredCard): JsonObject {
  const { flags } = card;
  const tables = (JSON.parse(card.tables.text) as Record<string, JsonValue>[]).map((table) => ({
    ...table,
    sampled: null,
    facts: [],
  }));
  return {
    ...cardBody(card, []),
    tables,
    // guard: of a stored card a caller who may not see every table gets counts only
    flags: flags.filter(({ code }) => plainFlags.has(code)).map(flagBody),
  };
}

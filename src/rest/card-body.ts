/** Bodies of stored cards. */
import type { Flag } from '../model/brief.ts';
import { cardHeadShape, flagShape, overlapShape } from '../model/brief.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { JsonText, stringifyJson } from '../model/json.ts';
import { elementsOf, membersOf } from '../model/json-members.ts';
import { writerOf } from '../model/shape.ts';
import type { Overlaps } from '../review/brief/brief.ts';
import { withOverlaps } from '../review/brief/brief.ts';
import type { StoredCard } from '../review/brief/card-store.ts';
import { withKnown } from '../review/looks.ts';

export const cardHeadBody = writerOf(cardHeadShape);
const flagBody = writerOf(flagShape);
const overlapBody = writerOf(overlapShape);

/** Returns the members before those of the brief. */
const headOf = (card: StoredCard): JsonObject => ({
  session_id: card.sessionId,
  id: card.sessionId,
  ...cardHeadBody(card),
});

/** Returns the JSON of a card with what is known now, for a caller who may see every table. */
export function cardText(card: StoredCard): JsonText {
  const brief = membersOf(card.brief);
  const stored = elementsOf(brief.get('flags') ?? new JsonText('[]'));
  const flags = withKnown<JsonValue>(stored, card.known, flagBody);
  const body = { ...headOf(card), ...Object.fromEntries(brief), flags };
  return new JsonText(stringifyJson(body));
}

/** Returns the same as an object. @param now the sessions that overlap now, instead of those of the card */
export function cardBody(card: StoredCard, now?: Overlaps): JsonObject {
  const brief = membersOf(card.brief);
  const stored = { ...headOf(card), ...Object.fromEntries(brief) };
  if (now === undefined) return stored;
  const flags = JSON.parse(brief.get('flags')?.text ?? '[]') as Flag[];
  return {
    ...stored,
    flags: withKnown(withOverlaps(flags, now.flags).map(flagBody), card.known, flagBody),
    overlaps: now.overlaps.map(overlapBody),
  };
}

/** Flags that any caller may see, whatever is hidden. */
const plainFlags = new Set(['deletes', 'further_changes', 'conflict', 'never_rehearsed']);

interface StoredBrief {
  readonly revision: string;
  readonly tables: readonly Readonly<Record<string, JsonValue>>[];
  readonly flags: readonly Flag[];
}

/**
 * Returns the body of a card for a caller who may not see every table: counts only. Whether a table may be seen depends on the database
 * roles' rights now, not on those when the card was stored.
 */
export function countsBody(card: StoredCard): JsonObject {
  const { revision, tables, flags } = JSON.parse(card.brief.text) as StoredBrief;
  const all = withKnown(flags, card.known, (flag) => flag);
  return {
    ...headOf(card),
    revision,
    tables: tables.map((table) => ({ ...table, sampled: null, facts: [] })),
    // guard: of a stored card a caller who may not see every table gets counts only
    flags: all.filter(({ code }) => plainFlags.has(code)).map(flagBody),
    overlaps: [],
  };
}

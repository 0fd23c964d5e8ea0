/**
 * The split of a proposed session whose part is approved. The part stays, because the session has the proposal, the review and its
 * comments; the rest goes to a new session, which is active: nobody has proposed it as it is now.
 */
import type { Queryable } from '../../db/database.ts';
import type { JsonObject } from '../../model/json.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import type { Part, SplitOff } from '../edits/parts.ts';
import { choosePart, moveRows } from '../edits/parts.ts';
import { countFacts } from '../edits/row-names.ts';
import { partHash } from './repeat.ts';

/** The session with the rest, and the members of the event of the split. */
export interface Rest extends SplitOff {
  readonly body: JsonObject;
}

const noteRest =
  'UPDATE stage.session SET remaining = $2, reviewed_digest = $3, reviewed_part = $4 WHERE id = $1';

/**
 * Moves all rows but those of the part to a new session.
 * @param reviewed the digest of the whole
 * @returns null if the part is everything that is staged
 * @throws StageError those of `choosePart`
 */
export async function leaveRest(
  tx: Queryable,
  session: LockedSession,
  part: Part,
  reviewed: string,
): Promise<Rest | null> {
  const chosen = await choosePart(tx, session.uuid, part);
  if (chosen.isWhole) return null;
  const made = await moveRows(tx, session, chosen, 'others');
  await tx.query(noteRest, [session.uuid, made.uuid, reviewed, partHash(part)]);
  const approved = countFacts(chosen.counts);
  return { ...made, body: { reviewed_digest: reviewed, approved } };
}

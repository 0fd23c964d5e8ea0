/** Repeated approvals: whoever lost the response sends the request again. */
import { createHash } from 'node:crypto';
import { StageError } from '../../errors.ts';
import type { JsonText } from '../../model/json.ts';
import { membersOf } from '../../model/json-members.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import type { Part } from '../edits/parts.ts';

/** Returns a hash of a requested part. It depends neither on the order of rows, nor on that of a key's members, nor on repeated rows. */
export function partHash({ rows, withTies }: Part): string {
  const named = rows.map(({ table, rowId }) => JSON.stringify([table, rowId && keyText(rowId)]));
  const text = JSON.stringify([withTies, ...new Set(named.sort())]);
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Returns a key as text with its members sorted by name. */
function keyText(rowId: JsonText): string {
  const members = [...membersOf(rowId)];
  if (members.length === 0) return rowId.text.trim();
  const texts = members.map(([name, value]) => `${JSON.stringify(name)}:${value.text.trim()}`);
  return `{${texts.sort().join(',')}}`;
}

/**
 * Checks whether a request repeats the approval of a session: it has the approved digest, or, where a part was approved, the digest of the
 * reviewed whole and the same part.
 * @param only the requested part; null for the whole
 * @throws StageError `invalid_transition` if a part was approved, and the request means other rows
 */
export function isRepeat(
  session: LockedSession,
  digest: string | null,
  only: Part | null,
): boolean {
  const { remaining, reviewedPart } = session;
  if (remaining === null) return digest !== null && digest === session.digest;
  const isWholeOfPart = only === null && digest === session.digest;
  const isDecided = digest === session.digest || digest === session.reviewedDigest;
  const isSamePart = only !== null && isDecided && partHash(only) === reviewedPart;
  if (digest !== null && (isWholeOfPart || isSamePart)) return true;
  // guard: rows that were not approved with a part are not reported as applied
  throw otherPart(session, remaining);
}

function otherPart({ id, status }: LockedSession, remaining: string): StageError {
  return new StageError(
    'invalid_transition',
    `only a part of session ${id} was approved: the rest is in ${remaining}`,
    {
      hint: `Nothing was applied by this request. Decide on the rest there: \`stage propose ${remaining}\`, review it, and approve it.`,
      facts: { status, remaining_session_id: remaining },
    },
  );
}

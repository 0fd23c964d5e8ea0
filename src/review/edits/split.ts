/**
 * Split: chosen rows of an active session go to a new session; the rest stays. The chosen rows go, not the rest: connections, links and
 * comments refer to the session, and whoever writes in it continues with the rest.
 */
import type { Database, Queryable } from '../../db/database.ts';
import type { Session } from '../../model/session.ts';
import { isEmitted } from '../../staging/event-store.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import { lockSession, requireTransition } from '../../staging/session-lock.ts';
import { getSession } from '../../staging/session-store.ts';
import { digestOf } from '../diff/diff-tables.ts';
import { withinBudget, yieldFirst } from '../lock-budget.ts';
import { renewOutdated } from '../renew.ts';
import type { ChosenPart, Part } from './parts.ts';
import { choosePart, emitSplit, moveRows, nothingLeft } from './parts.ts';
import { countFacts } from './row-names.ts';

export interface Splitting extends Part {
  /** The authenticated name of the requesting user. */
  readonly splitAs: string | null;
  /** The total time that it may wait for locks of others. */
  readonly lockTimeoutMs: number;
}

export interface Split extends Pick<ChosenPart, 'counts' | 'tied'> {
  /** The new session, with the chosen rows. */
  readonly session: Session;
}

/**
 * Splits chosen rows off an active session, with all rows that are tied to them; or none.
 * @throws StageError `session_not_found`, `invalid_transition`, `session_busy`, `no_such_change`, `has_dependents`, `not_splittable`,
 * `busy`; nothing is changed then
 */
export async function splitSession(db: Database, id: string, asked: Splitting): Promise<Split> {
  await renewOutdated(db, id);
  let number = '0';
  return withinBudget(asked.lockTimeoutMs, () =>
    db.transaction(
      async (tx) => {
        const done = await splitLocked(tx, id, asked);
        number = done.number;
        return done.split;
      },
      'read committed',
      (tx) => isEmitted(tx, number, sessionUuid(id)),
    ),
  );
}

async function splitLocked(
  tx: Queryable,
  id: string,
  asked: Splitting,
): Promise<{ readonly split: Split; readonly number: string }> {
  const session = await lockSession(tx, id);
  requireTransition(session, 'split');
  await tx.query('DISCARD PLANS');
  await yieldFirst(tx);
  const part = await choosePart(tx, session.uuid, asked);
  // guard: a split leaves rows on both sides
  if (part.isWhole) throw nothingLeft();
  const digest = await digestOf(tx, session.uuid);
  // statements that have read the rows are run again
  // guard: who splits a session has a part in both
  await tx.query('SELECT stage.note_edit($1, $2)', [session.uuid, asked.splitAs]);
  const made = await moveRows(tx, session, part, 'chosen');
  const { counts, tied } = part;
  const body = { digest, tables: countFacts(counts) };
  const number = await emitSplit(tx, session, made, asked.splitAs, body);
  return { split: { session: await getSession(tx, made.id), counts, tied }, number };
}

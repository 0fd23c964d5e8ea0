/** Discards staged changes: of a session that is deleted, or of one that stays as rejected. */
import type { Database, Queryable } from '../db/database.ts';
import { JsonText } from '../model/json.ts';
import { emit } from './event-store.ts';
import { isServable } from './servable.ts';
import { lockSession, requireTransition } from './session-lock.ts';
import { findSession } from './session-store.ts';

export interface DeletedSession {
  readonly sessionId: string;
  readonly deletedAt: string;
}

/** Removes a session's staged rows and mutation log. If there are many, they are only marked, and `discardBatch` removes them later. */
async function discardStaged(tx: Queryable, uuid: string): Promise<void> {
  await tx.query('SELECT stage.discard_rows($1, true)', [uuid]);
}

/**
 * Removes a batch of the staged rows and mutations that are marked for removal. Several daemons may do so at once.
 * @returns whether there were any
 */
export async function discardBatch(db: Database): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await isServable(tx))) return false;
    const [row] = await tx.query('SELECT stage.discard_batch() AS found');
    return row?.['found'] === 't';
  });
}

/**
 * Deletes an active or proposed session with everything it staged.
 * @param deletedAs the authenticated name of the caller
 * @throws StageError `session_not_found`, `session_busy`, or `invalid_transition` if the session is final
 */
export async function deleteSession(
  db: Database,
  id: string,
  deletedAs: string | null = null,
): Promise<DeletedSession> {
  return db.transaction(
    async (tx) => {
      const session = await lockSession(tx, id);
      requireTransition(session, 'delete');
      await discardStaged(tx, session.uuid);
      const [row] = await tx.query(
        'DELETE FROM stage.session WHERE id = $1 RETURNING stage.iso_time(clock_timestamp()) AS deleted_at',
        [session.uuid],
      );
      await emit(tx, { ...session, kind: 'deleted', by: deletedAs, body: new JsonText('{}') });
      return { sessionId: id, deletedAt: String(row?.['deleted_at']) };
    },
    'read committed',
    async (db) => (await findSession(db, id)) === null,
  );
}

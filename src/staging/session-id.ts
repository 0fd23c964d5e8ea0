/** Ids of sessions: `sess_` and the digits of the key of the session's row. */
import { StageError } from '../errors.ts';
import { isSessionId } from '../model/session.ts';

/** The key of a session's row: the digits of its id, which PostgreSQL reads as a uuid. @throws StageError `session_not_found` */
export function sessionUuid(id: string): string {
  if (!isSessionId(id)) throw sessionNotFound(id);
  return id.slice('sess_'.length);
}

/** The SQL expression of a session's id. @param uuid the one of its row's key; null gives null */
export const sessionIdSql = (uuid: string) => `'sess_' || replace(${uuid}::text, '-', '')`;

export function sessionNotFound(id: string): StageError {
  return new StageError('session_not_found', `there is no session ${id}`, {
    hint: 'List the sessions with `stage session list` or GET /sessions.',
  });
}

/** Session ids: `sess_` and the digits of the session's primary key. */
import { StageError } from '../errors.ts';
import { isSessionId } from '../model/session.ts';

/** Returns the primary key of a session: the digits of its id, which PostgreSQL parses as a uuid. @throws StageError `session_not_found` */
export function sessionUuid(id: string): string {
  if (!isSessionId(id)) throw sessionNotFound(id);
  return id.slice('sess_'.length);
}

/** Returns the SQL expression of a session's id. @param uuid SQL expression of its primary key; null yields null */
export const sessionIdSql = (uuid: string) => `'sess_' || replace(${uuid}::text, '-', '')`;

export function sessionNotFound(id: string): StageError {
  return new StageError('session_not_found', `there is no session ${id}`, {
    hint: 'List the sessions with `stage session list` or GET /sessions.',
  });
}

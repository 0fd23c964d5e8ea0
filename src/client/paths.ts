/** Builds paths of the REST interface that contain an id. */
import { StageError } from '../errors.ts';
import { isSessionId } from '../model/session.ts';

/**
 * Returns the path of a session, or of a part of it.
 * @throws StageError `session_not_found` for a malformed id: it cannot exist, and must not become part of a URL
 */
export function sessionPath(id: string, part?: string): string {
  if (!isSessionId(id)) {
    throw new StageError('session_not_found', `there is no session ${JSON.stringify(id)}`, {
      hint: 'List the sessions with `stage session list`.',
    });
  }
  return part ? `/sessions/${id}/${part}` : `/sessions/${id}`;
}

export function auditPath(id: string): string {
  if (!/^aud_\w+$/.test(id)) {
    throw new StageError('audit_entry_not_found', `there is no audit entry ${JSON.stringify(id)}`, {
      hint: 'List the entries with `stage audit list`.',
    });
  }
  return `/audit/${id}`;
}

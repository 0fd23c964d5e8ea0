/** Reads of a session, and the comparison of what they return. */
import { readSession } from '../client/decode.ts';
import { Fields } from '../client/fields.ts';
import type { Session } from '../model/session.ts';
import { request, withQuery } from './http.ts';

/** Returns whether the session can still be decided on. */
export const isOpen = ({ status }: Session) => status === 'active' || status === 'proposed';

/** Identifies the state that a diff was read in. */
const stateOf = ({ status, round, edits, mutationCount }: Session) =>
  [status, round, edits, mutationCount].join();

/** Returns whether a session is in the state in which its diff was read before. */
export const isAsBefore = (now: Session, before: Session) => stateOf(now) === stateOf(before);

export async function readSessionOf(id: string): Promise<Session> {
  return readSession(await request('GET', `/sessions/${id}`));
}

/** Returns the table that the session wrote to first; null if there is none. */
export async function firstTableOf(id: string): Promise<string | null> {
  const path = withQuery(`/sessions/${id}/mutations`, { limit: 1 });
  const [first] = new Fields(await request('GET', path)).list('mutations');
  return first === undefined ? null : new Fields(first).required('table');
}

/** Creates a session once per request key, so that a caller who lost the response can repeat the request. */
import { createHash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { StageError } from '../errors.ts';
import type { Session } from '../model/session.ts';
import { sessionIdSql } from './session-id.ts';
import type { NewSession } from './session-store.ts';
import { createSession, getSession } from './session-store.ts';

const selectRequest = `
SELECT ${sessionIdSql('s.id')} AS id, s.request_hash FROM stage.session s
WHERE s.created_as IS NOT DISTINCT FROM $1 AND s.request_key = $2`;

/**
 * Returns the session of a request key, and whether it was created now. Each token has its own keys. The key of a deleted session
 * can be used again.
 * @throws StageError `idempotency_conflict` if the key was used with another request
 */
export async function createSessionOnce(
  db: Database,
  wanted: NewSession,
  key: string,
): Promise<readonly [Session, boolean]> {
  const request = { key, hash: hashOf(wanted) };
  for (;;) {
    const made = await createSession(db, wanted, request);
    if (made !== null) return [made, true];
    const [row] = await db.query(selectRequest, [wanted.createdAs ?? null, key]);
    if (row === undefined) continue;
    // guard: a key stands for one request
    if (row['request_hash'] !== request.hash) throw conflict(String(row['id']));
    return [await getSession(db, String(row['id'])), false];
  }
}

function hashOf({ projectId, metadata, reads, conflictScope }: NewSession): string {
  const asked = JSON.stringify([projectId, metadata.text, reads, conflictScope]);
  return createHash('sha256').update(asked).digest('hex');
}

function conflict(id: string): StageError {
  return new StageError(
    'idempotency_conflict',
    'the Idempotency-Key came with another request before',
    {
      hint: 'Send a new key with a new request, or the same request with this key.',
      facts: { session_id: id },
    },
  );
}

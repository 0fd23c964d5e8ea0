/** When tokens were last used. All daemons of a database share it. */
import { createHash } from 'node:crypto';
import type { Queryable } from '../db/database.ts';
import type { Token } from '../model/access.ts';
import type { RestServices } from './services.ts';

const saveUse = `
INSERT INTO stage.token_use (token, used_at) VALUES (decode($1, 'hex'), now())
ON CONFLICT (token) DO UPDATE SET used_at = excluded.used_at`;

const selectUses = `SELECT encode(token, 'hex') AS token, stage.iso_time(used_at) AS used_at FROM stage.token_use`;

/** A use is saved only if no use of the token was saved within this time: requests are many, and the minute is enough. */
const savedForMs = 60_000;

/** Returns the name of a token in tables: a hash of its hash, from which nobody finds out the token. */
export function markOf({ hash }: Token): string {
  return createHash('sha256').update(hash).digest('hex');
}

/** Creates a function that notes the use of a token. It does not wait until the use is saved, and never fails. */
export function createUseNotes({
  deciding,
  upstream,
  log,
}: Pick<RestServices, 'deciding' | 'upstream' | 'log'>): (token: Token) => void {
  const savedAt = new Map<string, number>();
  return (token) => {
    const mark = markOf(token);
    const now = Date.now();
    if (!upstream.state.ready || now - (savedAt.get(mark) ?? 0) < savedForMs) return;
    savedAt.set(mark, now);
    // a use that could not be saved is not retried with each request either
    deciding.query(saveUse, [mark]).catch((error: Error) => {
      log.warn('the use of a token could not be saved', { error: error.message });
    });
  };
}

/** Returns when tokens were last used, by their marks. */
export async function lastUses(db: Queryable): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query(selectUses);
  return new Map(rows.map((row) => [String(row['token']), String(row['used_at'])]));
}

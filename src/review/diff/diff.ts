/** The diff: the net change of every row of a session, streamed from one snapshot of the database. */
import type { Database, Queryable } from '../../db/database.ts';
import type { Change, Step } from '../../model/change.ts';
import type { SessionStatus } from '../../model/session.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import { getSession } from '../../staging/session-store.ts';
import { renewOutdated } from '../renew.ts';
import { inSnapshot } from '../snapshot.ts';
import { streamPages } from '../stream-rows.ts';
import type { ChangeRow } from './change-row.ts';
import { toChange } from './change-row.ts';
import type { CountedTable, DiffTable } from './diff-tables.ts';
import { countTables, diffTables, digestOf } from './diff-tables.ts';
import { readSteps, shownSteps } from './steps.ts';

export interface Diff {
  /** The session's state. */
  readonly status: SessionStatus;
  /** Only tables with changes, in the diff's order. The changes of a table may cancel out. */
  readonly counts: readonly CountedTable[];
  /** Can be iterated once. Ordered by table, in the order of the counts, then by first touch; in arrays, each of one table. */
  readonly changes: AsyncIterable<readonly Change[]>;
  /** Can be iterated once. In the order in which approval applies them. */
  readonly steps: AsyncIterable<Step>;
  /**
   * Returns `sha256:` and 64 hexadecimal digits. It covers every step that approval replays, and takes time in proportion to their number.
   */
  digest(): Promise<string>;
  /** Ends the transaction behind the diff. The caller must close a diff, read to its end or not. */
  close(): Promise<void>;
}

/**
 * Reads a session's diff. That of an approved session comes from the audit; a rejected one has none.
 * @param readableOnly whether changes of tables that a role that staged in the session may not read are left out; they are counted, and the
 * digest is the same
 * @throws StageError `session_not_found`; `took_too_long`, also during iteration
 */
export async function readDiff(db: Database, id: string, readableOnly = false): Promise<Diff> {
  await renewOutdated(db, id);
  return new Promise((resolve, reject) => {
    const finished = inSnapshot(db, async (tx) => {
      const { status } = await getSession(tx, id);
      const uuid = sessionUuid(id);
      const tables = await diffTables(tx, uuid, status, readableOnly);
      const counts = await countTables(tx, uuid, tables);
      const steps = shownSteps(readSteps(tx, uuid, tables, status === 'approved'), tables);
      await new Promise<void>((closed) => {
        const close = async () => {
          closed();
          await finished.catch(() => undefined);
        };
        const changes = changesOf(tx, tables);
        resolve({ status, counts, changes, steps, digest: () => digestOf(tx, uuid), close });
      });
    });
    finished.catch(reject);
  });
}

async function* changesOf(tx: Queryable, tables: readonly DiffTable[]): AsyncGenerator<Change[]> {
  for (const { name, key, page, hidden } of tables) {
    // guard: the diff leaves out hidden changes
    if (hidden) continue;
    // a page is already in order: sorting it again would take a twentieth of the diff's time
    const select = `SELECT d.number, d.operation, d.row_id, d.before, d.after, d.texts FROM ${page} d`;
    for await (const rows of streamPages(tx, select))
      yield rows.map((row) => toChange(name, key, row as ChangeRow));
  }
}

/** The steps of a session in pages, for sessions with more steps than one response has time for. */
import type { Database } from '../../db/database.ts';
import type { Operation, Step } from '../../model/change.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import { getSession } from '../../staging/session-store.ts';
import { renewOutdated } from '../renew.ts';
import { inSnapshot } from '../snapshot.ts';
import { revisionOf } from './diff-pages.ts';
import { diffTables } from './diff-tables.ts';
import { pageLength } from './gathered-page.ts';
import { isOf, readSteps, shownSteps } from './steps.ts';

/** A page ends after this many steps, even if only few of them match the filter. */
const mostInspected = 20_000;

export interface StepFilter {
  /** The table's shown name. */
  readonly table?: string | undefined;
  readonly type?: Operation | undefined;
  /** Number of the step after which the page begins. */
  readonly cursor: string;
  readonly limit: number;
  /** Whether steps of tables that a role that staged in the session may not read are left out. */
  readonly readableOnly?: boolean;
}

export interface StepPage {
  readonly revision: string;
  readonly steps: readonly Step[];
  /** The cursor to continue from; null at the end. */
  readonly nextCursor: string | null;
}

/**
 * Reads some steps, in the order in which approval applies them. A page may be shorter than requested; it contains the cursor to continue
 * from.
 * @throws StageError `session_not_found`, `took_too_long`
 */
export async function readStepPage(
  db: Database,
  id: string,
  filter: StepFilter,
): Promise<StepPage> {
  const { cursor, limit, readableOnly = false } = filter;
  await renewOutdated(db, id);
  return inSnapshot(db, async (tx) => {
    const session = await getSession(tx, id);
    const uuid = sessionUuid(id);
    const tables = await diffTables(tx, uuid, session.status, readableOnly);
    const all = readSteps(tx, uuid, tables, session.status === 'approved', cursor);
    const revision = revisionOf(session);
    const steps: Step[] = [];
    let [inspected, length] = [0, 0];
    for await (const step of shownSteps(all, tables)) {
      inspected += 1;
      if (isOf(step, filter)) {
        steps.push(step);
        length += (step.before?.text.length ?? 0) + (step.after?.text.length ?? 0);
      }
      if (steps.length >= limit || length > pageLength || inspected >= mostInspected)
        return { revision, steps, nextCursor: step.number };
    }
    return { revision, steps, nextCursor: null };
  });
}

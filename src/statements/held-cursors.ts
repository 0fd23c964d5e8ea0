/**
 * Cursors WITH HOLD. COMMIT runs what is left of their query, behind every guard that makes a read of it and behind the look at what it
 * has written. In a transaction that is READ ONLY from its beginning PostgreSQL holds that to be a read, too, but for what code of users
 * may do there; elsewhere such a cursor is refused.
 */
import { StageError } from '../errors.ts';
import { holdsCursor, readOf } from '../rewrite/query-planner.ts';
import type { Verdict } from '../sql/verdict.ts';
import type { ConnectionContext } from './connection-context.ts';

/**
 * To be called before a statement that is no write runs, and after it was asked what it calls.
 * @throws StageError when it declares a cursor WITH HOLD where its query could come to write
 */
export function checkHold({ state, names }: ConnectionContext, verdict: Verdict): void {
  if (state.failed || !holdsCursor(verdict)) return;
  if (state.exposesHeld) throw holdRefused;
  // guard: COMMIT runs no code of users behind the look
  if (names.runCode(readOf(verdict)?.unclear ?? [])) throw codeRefused;
}

const holdRefused = new StageError(
  'statement_not_supported',
  'DECLARE ... WITH HOLD cannot be run in a transaction that may write',
  {
    hint: 'Declare the cursor outside of a transaction block or after BEGIN READ ONLY; or WITHOUT HOLD.',
  },
);

const codeRefused = new StageError(
  'statement_not_supported',
  'DECLARE ... WITH HOLD cannot be run for a query that runs functions of users of the database',
  {
    hint: 'COMMIT would run the query, past what looks for writes. Declare the cursor WITHOUT HOLD, in a transaction block.',
  },
);

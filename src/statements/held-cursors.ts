/**
 * Cursors WITH HOLD. COMMIT runs what is left of their query, behind every guard that makes a read of it. In a transaction
 * that is READ ONLY from its beginning PostgreSQL holds that to be a read, too; elsewhere such a cursor is refused.
 */
import { StageError } from '../errors.ts';
import { holdsCursor } from '../rewrite/query-planner.ts';
import type { Verdict } from '../sql/verdict.ts';
import type { ConnectionContext } from './connection-context.ts';

/**
 * To be called before a statement that is no write runs.
 * @throws StageError when it declares a cursor WITH HOLD where its query could come to write
 */
export function checkHold({ state }: ConnectionContext, verdict: Verdict): void {
  if (state.exposesHeld && !state.failed && holdsCursor(verdict)) throw holdRefused;
}

const holdRefused = new StageError(
  'statement_not_supported',
  'DECLARE ... WITH HOLD cannot be run in a transaction that may write',
  {
    hint: 'Declare the cursor outside of a transaction block or after BEGIN READ ONLY; or WITHOUT HOLD.',
  },
);

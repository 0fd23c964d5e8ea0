/** A COMMIT without an answer: what became of it is asked of the database, on another connection. */
import { setTimeout as delay } from 'node:timers/promises';
import { StageError } from '../errors.ts';
import type { Backend } from './backend.ts';
import { askWhatTheyDo, endBackends, keyOf } from './backend.ts';
import type { Queryable } from './queryable.ts';

/** The backend ends of itself after idle_in_transaction_session_timeout at the latest. */
const waitMs = 20_000;
const betweenLooksMs = 100;

/**
 * Finds out what became of a transaction.
 * @param isDone whether its changes are there; nobody else may have changed these meanwhile, or it has to tell
 * @returns when they are
 * @throws StageError `upstream_unavailable`, which says whether anything was changed as far as that is known
 */
export async function demandCommitted(
  db: Queryable,
  backend: Backend | null,
  cause: unknown,
  isDone: ((db: Queryable) => Promise<boolean>) | undefined,
): Promise<void> {
  const outcome = await look(db, backend, isDone).catch(() => 'unknown' as const);
  if (outcome === 'committed') return;
  const { said, hint } = outcomes[outcome];
  throw new StageError(
    'upstream_unavailable',
    `the connection was lost while the change was made: ${said}`,
    {
      hint,
      facts: { reason: `outcome_${outcome}` },
      cause,
    },
  );
}

const outcomes = {
  unknown: {
    said: 'whether it was made is not known',
    hint: 'It was made as a whole, or not at all: look before asking again, `stage session show` tells.',
  },
  undone: { said: 'nothing was changed', hint: 'Nothing is lost: try again in a moment.' },
} as const;

async function look(
  db: Queryable,
  backend: Backend | null,
  isDone: ((db: Queryable) => Promise<boolean>) | undefined,
): Promise<'committed' | 'undone' | 'unknown'> {
  if (backend === null) return 'unknown';
  const end = performance.now() + waitMs;
  while (performance.now() < end) {
    const doing = (await askWhatTheyDo(db, [backend])).get(keyOf(backend));
    if (doing === 'idle' || doing === 'gone')
      return isDone === undefined ? 'unknown' : (await isDone(db)) ? 'committed' : 'undone';
    // the COMMIT has not come, and would not be heard any more
    if (doing === 'waiting') await endBackends(db, [backend]);
    await delay(betweenLooksMs);
  }
  return 'unknown';
}

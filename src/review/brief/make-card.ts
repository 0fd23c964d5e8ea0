/** Makes the cards of proposals that have none. */
import type { Database } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Brief } from '../../model/brief.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import { sqlstateOf } from '../../staging/session-lock.ts';
import { getSession } from '../../staging/session-store.ts';
import { digestOf } from '../diff/diff-tables.ts';
import { InTheWay, yieldFirst } from '../lock-budget.ts';
import { renewOutdated } from '../renew.ts';
import { inSnapshot } from '../snapshot.ts';
import { briefIn } from './brief.ts';
import type { Proposal } from './card-store.ts';
import { proposalWithoutCard, roundName, storeCard, storeDigest } from './card-store.ts';

const tryAgainMs = 600_000;

/** The wait before a card is tried again, in milliseconds, if others held locks on its tables. */
const busyMs = 2_000;

/** A card with the state of the session that it describes, as both are stored. It hides nothing. */
interface MadeCard {
  readonly proposal: Proposal;
  readonly brief: Brief;
}

export interface CardMaker {
  /** Makes the next card. @returns whether there may be more to make */
  next(): Promise<boolean>;
}

/**
 * Creates the maker of cards. Several daemons may run one at once: the first card of a round stays.
 * @param reading for reads, which may take long
 * @param deciding for the rows of cards
 */
export function createCardMaker(
  reading: Database,
  deciding: Database,
  sensitiveColumns: readonly string[],
): CardMaker {
  /** The time at which each round may be tried again, so that a round that fails does not block the others. */
  const tried = new Map<string, number>();
  const recent = () => {
    const now = performance.now();
    for (const [name, until] of tried) if (until <= now) tried.delete(name);
    return [...tried.keys()];
  };
  return {
    next: async () => {
      const found = await proposalWithoutCard(reading, recent());
      if (found === null) return false;
      tried.set(roundName(found), performance.now() + tryAgainMs);
      try {
        await makeCard(reading, deciding, found.id, sensitiveColumns);
      } catch (error) {
        if (InTheWay.has(sqlstateOf(error))) {
          tried.set(roundName(found), performance.now() + busyMs);
          return false;
        }
        if (!(error instanceof StageError && isNoFault.has(error.code))) throw error;
      }
      return true;
    },
  };
}

/** The errors that are expected: the session is too large for a card, or is gone. */
const isNoFault = new Set(['took_too_long', 'session_not_found']);

async function makeCard(
  reading: Database,
  deciding: Database,
  id: string,
  sensitiveColumns: readonly string[],
): Promise<void> {
  const made = await readProposal(reading, id, sensitiveColumns);
  if (made === null) return;
  await storeCard(deciding, made.proposal, made.brief, sensitiveColumns);
  const digest = await inSnapshot(reading, async (tx) => {
    await yieldFirst(tx);
    return digestOf(tx, sessionUuid(id));
  });
  await storeDigest(deciding, made.proposal, digest);
}

/** Reads the brief of a proposal; null if the session is not proposed. */
async function readProposal(
  db: Database,
  id: string,
  sensitiveColumns: readonly string[],
): Promise<MadeCard | null> {
  await renewOutdated(db, id);
  return inSnapshot(db, async (tx) => {
    // nobody waits for a card, so in a deadlock with a change of a table's definition this transaction is the one to fail
    await yieldFirst(tx);
    const { status, round, edits, mutationCount } = await getSession(tx, id);
    if (status !== 'proposed') return null;
    const rules = { readableOnly: false, ownOnly: false, sensitiveColumns };
    const { lasting: brief } = await briefIn(tx, id, rules);
    return { proposal: { id, round, edits, mutationCount }, brief };
  });
}

/** Stores the cards of proposed sessions soon after each proposal. */
import type { Database } from '../db/database.ts';
import type { Upstream } from '../rest/services.ts';
import { createCardMaker } from '../review/brief/make-card.ts';
import type { Parts } from './parts.ts';
import { startPeriodicTask } from './periodic-task.ts';

export interface CardNeeds {
  readonly reading: Database;
  readonly deciding: Database;
  readonly upstream: Upstream;
}

/** Starts at once, with proposals that an earlier daemon left without a card. */
export function startCards(parts: Parts, { reading, deciding, upstream }: CardNeeds): void {
  const maker = createCardMaker(reading, deciding, parts.settings.sensitiveColumns);
  startPeriodicTask(parts, upstream, {
    name: 'cards of sessions',
    everyMs: 1_000,
    failure: 'the card of a session could not be made',
    run: async (isStopped) => {
      while (!isStopped() && (await maker.next()));
    },
  });
}

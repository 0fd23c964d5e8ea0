/** The route of a session's card: what its diff means. */
import { z } from 'zod';
import { StageError } from '../../errors.ts';
import type { Caller } from '../../model/access.ts';
import { seesOwnOnly, seesReadableOnly } from '../../model/access.ts';
import type { JsonObject } from '../../model/json.ts';
import { readOverlaps, readRound } from '../../review/brief/brief.ts';
import { cardOfRound, presentCards } from '../../review/brief/card-store.ts';
import { briefBody } from '../bodies.ts';
import { cardBody, cardHeadBody, countsBody } from '../card-body.ts';
import { defineRoute } from '../route.ts';
import { card } from '../schemas/card.ts';
import { roundNumber } from '../schemas/inputs.ts';
import type { RouteServices } from '../services.ts';

const showCard = defineRoute({
  method: 'get',
  path: '/sessions/:id/card',
  name: 'getCard',
  summary:
    "Says what a session's diff means: for each table its counts, and facts about its columns that are counted in the database; what is unusual, as flags; and other open sessions that change the same rows. Of a proposed session it is as it was when it was proposed; overlaps, conflicts that somebody found, and whether it was rehearsed, are those of now. With round, the card of an earlier proposal; to callers who may not see every table, its counts only.",
  right: 'read',
  query: z.object({ round: roundNumber.optional() }),
  responses: { 200: card },
  errors: ['session_not_found', 'not_found', 'took_too_long', 'busy'],
  needsUpstream: true,
  handle: async ({ id, query: { round }, caller }, services) => {
    if (round !== undefined) return { body: await earlierCard(id, round, caller, services) };
    const leave = await services.diffs.take();
    try {
      return { body: await presentCard(id, caller, services) };
    } finally {
      leave();
    }
  },
});

async function earlierCard(
  id: string,
  round: number,
  caller: Caller,
  { db }: RouteServices,
): Promise<JsonObject> {
  const stored = await cardOfRound(db, id, round);
  if (stored !== null) return seesReadableOnly(caller) ? countsBody(stored) : cardBody(stored);
  throw new StageError('not_found', `there is no card of round ${round} of session ${id}`, {
    hint: 'A card is stored soon after each proposal, and removed with a rejected session. Without `round` you get the present one.',
  });
}

async function presentCard(
  id: string,
  caller: Caller,
  { db, sensitiveColumns, rehearsal }: RouteServices,
): Promise<JsonObject> {
  const [readableOnly, ownOnly] = [seesReadableOnly(caller), seesOwnOnly(caller)];
  const rules = { sensitiveColumns, rehearses: rehearsal.access !== 'off' };
  if (!readableOnly) {
    const stored = (await presentCards(db, [id], ['proposed'], rules)).get(id);
    if (stored) return cardBody(stored, await readOverlaps(db, id));
  }
  const { brief, round } = await readRound(db, id, { readableOnly, ownOnly, ...rules });
  const head = cardHeadBody({ round, digest: null, madeAt: null });
  return { session_id: id, id, ...head, ...briefBody(brief) };
}

export const cardRoutes = [showCard];

/** The route of a session's brief: what its diff means. */
import { seesOwnOnly, seesReadableOnly } from '../../model/access.ts';
import { readBrief } from '../../review/brief/brief.ts';
import { briefBody } from '../bodies.ts';
import { defineRoute } from '../route.ts';
import { card } from '../schemas/card.ts';

const showCard = defineRoute({
  method: 'get',
  path: '/sessions/:id/card',
  name: 'getCard',
  summary:
    "Says what a session's diff means: for each table its counts, and facts about its columns that are counted in the database; what is unusual, as flags; and other open sessions that change the same rows.",
  right: 'read',
  responses: { 200: card },
  errors: ['session_not_found', 'took_too_long', 'busy'],
  needsUpstream: true,
  handle: async ({ id, caller }, { db, diffs, sensitiveColumns }) => {
    const [readableOnly, ownOnly] = [seesReadableOnly(caller), seesOwnOnly(caller)];
    const leave = await diffs.take();
    try {
      const brief = await readBrief(db, id, { readableOnly, ownOnly, sensitiveColumns });
      return { body: { session_id: id, id, ...briefBody(brief) } };
    } finally {
      leave();
    }
  },
});

export const cardRoutes = [showCard];

/** The route that reverts an approved session. */
import { z } from 'zod';
import { seesReadableOnly } from '../../model/access.ts';
import { conflictFacts } from '../../review/conflicts.ts';
import { revertSession } from '../../review/decisions/revert.ts';
import { sessionBody } from '../bodies.ts';
import { defineRoute } from '../route.ts';
import { jsonObject } from '../schemas/inputs.ts';
import { revertedSession } from '../schemas/outputs.ts';

const revert = defineRoute({
  method: 'post',
  path: '/sessions/:id/revert',
  name: 'revertSession',
  summary:
    'Stages the exact inverse of an approved session in a new one. Rows that have changed since are refused by name, or left out with skip_changed.',
  right: 'write',
  body: z.strictObject({
    skip_changed: z.boolean().nullish(),
    metadata: jsonObject.nullish(),
  }),
  responses: { 201: revertedSession },
  errors: [
    'session_not_found',
    'invalid_transition',
    'session_busy',
    'conflict_detected',
    'not_revertible',
    'busy',
  ],
  needsUpstream: true,
  handle: async ({ id, body, texts, caller }, { db, approveLockTimeoutMs }) => {
    const metadata = body.metadata && texts.get('metadata');
    const { session, skipped } = await revertSession(db, id, {
      skipChanged: body.skip_changed ?? false,
      revertedAs: caller.name,
      readableOnly: seesReadableOnly(caller),
      lockTimeoutMs: approveLockTimeoutMs,
      ...(metadata ? { metadata } : {}),
    });
    return {
      status: 201,
      headers: { Location: `/sessions/${session.id}` },
      body: { ...sessionBody(session), skipped: skipped.map(conflictFacts) },
    };
  },
});

export const revertRoutes = [revert];

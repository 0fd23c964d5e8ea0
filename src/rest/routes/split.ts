/** The route that splits a session. */
import { seesReadableOnly } from '../../model/access.ts';
import { countFacts, rowFacts } from '../../review/edits/row-names.ts';
import { splitSession } from '../../review/edits/split.ts';
import { sessionBody } from '../bodies.ts';
import { defineRoute } from '../route.ts';
import { splitBody, splitSession as splitSessionBody } from '../schemas/split.ts';
import { choiceOf } from './unstage.ts';

const split = defineRoute({
  method: 'post',
  path: '/sessions/:id/split',
  name: 'splitSession',
  summary:
    'Moves staged rows of an active session to a new one, which has the same mutation log and the same authors. Rows that are tied to them are refused by name, or moved with them.',
  right: 'write',
  body: splitBody,
  responses: { 201: splitSessionBody },
  errors: [
    'session_not_found',
    'invalid_transition',
    'session_busy',
    'no_such_change',
    'has_dependents',
    'not_splittable',
    'busy',
  ],
  needsUpstream: true,
  handle: async ({ id, body, caller }, { db, approveLockTimeoutMs }) => {
    const { session, counts, tied } = await splitSession(db, id, {
      rows: body.only.map(choiceOf),
      withTies: body.with_ties ?? false,
      splitAs: caller.name,
      readableOnly: seesReadableOnly(caller),
      lockTimeoutMs: approveLockTimeoutMs,
    });
    return {
      status: 201,
      headers: { Location: `/sessions/${session.id}` },
      body: {
        ...sessionBody(session),
        part_tables: countFacts(counts),
        tied: tied.map(rowFacts),
      },
    };
  },
});

export const splitRoutes = [split];

/** The route that unstages rows. */

import { seesReadableOnly } from '../../model/access.ts';
import type { JsonObject } from '../../model/json.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import type { Choice } from '../../review/edits/row-choice.ts';
import { countFacts, rowFacts } from '../../review/edits/row-names.ts';
import type { Unstaged } from '../../review/edits/unstage.ts';
import { unstageRows } from '../../review/edits/unstage.ts';
import { getSession } from '../../staging/session-store.ts';
import { isAuthorOf } from '../access.ts';
import { sessionBody } from '../bodies.ts';
import { defineRoute } from '../route.ts';
import { unstageBody, unstagedSession } from '../schemas/unstage.ts';
import { mayRehearse } from './rehearse.ts';

const unstage = defineRoute({
  method: 'post',
  path: '/sessions/:id/unstage',
  name: 'unstageRows',
  summary:
    'Takes staged rows out of an active session, as if they had never been staged. If other rows depend on them, the request is refused with their names, or takes them out, too.',
  right: 'write',
  body: unstageBody,
  responses: { 200: unstagedSession },
  errors: [
    'session_not_found',
    'invalid_transition',
    'session_busy',
    'no_such_change',
    'has_dependents',
    'not_unstageable',
    'took_too_long',
    'busy',
  ],
  needsUpstream: true,
  handle: async ({ id, body, caller }, { db, rehearsals, rehearsal, approveLockTimeoutMs }) => {
    const isOwn = isAuthorOf(caller, await getSession(db, id));
    // the trial runs production's triggers
    const isTried = mayRehearse(rehearsal.access, caller, isOwn);
    const leave = isTried ? await rehearsals.take() : () => undefined;
    try {
      const done = await unstageRows(db, id, {
        rows: body.rows.map(choiceOf),
        withDependents: body.with_dependents ?? false,
        unstagedAs: caller.name,
        readableOnly: seesReadableOnly(caller),
        trialMs: isTried ? rehearsal.timeoutMs : null,
        lockTimeoutMs: approveLockTimeoutMs,
      });
      return { body: bodyOf(done) };
    } finally {
      leave();
    }
  },
});

type Key = number | string | Readonly<Record<string, unknown>>;

/** Returns a key as JSON. */
export const keyText = (key: Key | null) => new JsonText(stringifyJson(key as JsonObject));

interface RowChoice {
  readonly table: string;
  readonly row_id?: Key | null | undefined;
}

/** Converts a row of a request. */
export const choiceOf = ({ table, row_id: key }: RowChoice): Choice => ({
  table,
  rowId: key == null ? null : keyText(key),
});

function bodyOf({ session, rows, counts, isTried }: Unstaged): JsonObject {
  return {
    ...sessionBody(session),
    unstaged: rows.map((row) => ({ ...rowFacts(row), dependent: row.isDependent })),
    unstaged_tables: countFacts(counts),
    tried: isTried,
  };
}

export const unstageRoutes = [unstage];

/** The route that resolves conflicts. */
import { seesReadableOnly } from '../../model/access.ts';
import type { JsonText } from '../../model/json.ts';
import { elementsOf } from '../../model/json-members.ts';
import { conflictFacts } from '../../review/conflicts.ts';
import type { Resolution } from '../../review/edits/resolution.ts';
import { resolveConflicts } from '../../review/edits/resolve.ts';
import { sessionBody } from '../bodies.ts';
import { membersOfRequest } from '../json-members.ts';
import { defineRoute } from '../route.ts';
import { resolveBody, resolvedSession } from '../schemas/resolve.ts';
import { keyText } from './unstage.ts';

const resolve = defineRoute({
  method: 'post',
  path: '/sessions/:id/resolve',
  name: 'resolveConflicts',
  summary:
    "Settles conflicts of an active session: by row and column the session's value or production's. All that are named, or none.",
  right: 'write',
  body: resolveBody,
  responses: { 200: resolvedSession },
  errors: [
    'session_not_found',
    'invalid_transition',
    'session_busy',
    'no_such_conflict',
    'conflict_detected',
    'not_resolvable',
    'has_dependents',
    'not_unstageable',
    'busy',
  ],
  needsUpstream: true,
  handle: async ({ id, body, texts, caller }, { db, approveLockTimeoutMs, ignoredColumns }) => {
    const list = texts.get('resolutions');
    const written = list === undefined ? [] : elementsOf(list);
    const named = body.resolutions?.map(({ table, row_id: key, field = null, take }, index) => ({
      table,
      rowId: keyText(key),
      field,
      take,
      ...thought(written[index]),
    }));
    const { session, settled, left } = await resolveConflicts(db, id, {
      resolutions: named ?? body.all ?? [],
      withDependents: body.with_dependents ?? false,
      resolvedAs: caller.name,
      readableOnly: seesReadableOnly(caller),
      lockTimeoutMs: approveLockTimeoutMs,
      ignoredColumns,
    });
    const lists = { resolved: settled.map(conflictFacts), conflicts: left.map(conflictFacts) };
    return { body: { ...sessionBody(session), ...lists } };
  },
});

/** Returns the original text of `production_current`, because parsing may change numbers. */
function thought(resolution: JsonText | undefined): Pick<Resolution, 'productionCurrent'> {
  const current = resolution && membersOfRequest(resolution.text).get('production_current');
  return current === undefined ? {} : { productionCurrent: current };
}

export const resolveRoutes = [resolve];

/** The route of rehearsals: who may rehearse, and the response. */
import { StageError } from '../../errors.ts';
import type { Caller, RehearsalAccess } from '../../model/access.ts';
import { hasRight, seesReadableOnly } from '../../model/access.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Rehearsal, SideEffects } from '../../model/rehearsal.ts';
import { counts } from '../../review/conflicts.ts';
import { rehearseSession, succeeded } from '../../review/rehearsal/rehearse.ts';
import { getSession } from '../../staging/session-store.ts';
import { isAuthorOf } from '../access.ts';
import { rehearsalBody } from '../bodies.ts';
import { defineRoute } from '../route.ts';
import { rehearsal } from '../schemas/rehearsal.ts';

const rehearse = defineRoute({
  method: 'post',
  path: '/sessions/:id/rehearse',
  name: 'rehearseSession',
  summary:
    'Applies a session that is not decided to production as approve would, reports the outcome, and rolls everything back.',
  right: 'read',
  responses: { 200: rehearsal },
  errors: [
    'session_not_found',
    'invalid_transition',
    'session_busy',
    'staged_after_proposal',
    'took_too_long',
    'busy',
  ],
  needsUpstream: true,
  isOpenTo: (caller, { rehearsal }) => mayRehearse(rehearsal.access, caller, true),
  handle: async ({ id, caller }, { db, rehearsals, rehearsal, ignoredColumns, ...services }) => {
    const { access, timeoutMs, scanRows } = rehearsal;
    demandRehearsal(access, caller, isAuthorOf(caller, await getSession(db, id)));
    const leave = await rehearsals.take();
    try {
      const lockTimeoutMs = services.approveLockTimeoutMs;
      const refuseDifferences = services.triggerDifferences === 'refuse';
      const rules = { timeoutMs, scanRows, lockTimeoutMs, ignoredColumns, refuseDifferences };
      const readableOnly = seesReadableOnly(caller);
      return { body: bodyOf(id, await rehearseSession(db, id, { ...rules, readableOnly })) };
    } finally {
      leave();
    }
  },
});

/** Checks whether a caller may rehearse a session that is not decided. */
export function mayRehearse(access: RehearsalAccess, caller: Caller, isOwn: boolean): boolean {
  // guard: nobody rehearses where rehearsal is off
  // guard: a rehearsal is for those whom the configuration names
  return access !== 'off' && (hasRight(caller, 'review') || (access === 'authors' && isOwn));
}

/** Demands that the caller may rehearse a session. @throws StageError `forbidden` */
function demandRehearsal(access: RehearsalAccess, caller: Caller, isOwn: boolean): void {
  if (mayRehearse(access, caller, isOwn)) return;
  if (access === 'off')
    throw new StageError('forbidden', 'this service rehearses nothing', {
      hint: 'An operator allows it with rehearsal: reviewers in the configuration of the service.',
    });
  throw new StageError(
    'forbidden',
    access === 'authors'
      ? 'the session was created and proposed with other tokens'
      : `a token of the role ${caller.role} does not allow this`,
    {
      hint: 'A reviewer rehearses any session; authors and agents their own, where the service is configured with rehearsal: authors.',
    },
  );
}

function bodyOf(id: string, rehearsal: Rehearsal): JsonObject {
  const { conflicts: found, triggerDifferences, isStopped: _, sideEffects, ...rest } = rehearsal;
  const body = rehearsalBody({
    ...rest,
    ok: succeeded(rehearsal),
    conflicts: found.filter(counts),
    ignored: found.filter((conflict) => !counts(conflict)),
    differences: null,
    sideEffects: sideEffects?.map(flat) ?? null,
  });
  return { session_id: id, id, ...body, differences: triggerDifferences };
}

/** Puts the counts among the other members. */
function flat({ counts: known, ...effects }: SideEffects) {
  const { inserts = null, updates = null, deletes = null } = known ?? {};
  return { ...effects, inserts, updates, deletes };
}

export const rehearsalRoutes = [rehearse];

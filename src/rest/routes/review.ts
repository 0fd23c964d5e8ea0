/** Routes of the review of a session: diff, conflicts, propose, approve, reject. */
import { z } from 'zod';
import { StageError } from '../../errors.ts';
import { databaseRolesOf, seesReadableOnly } from '../../model/access.ts';
import { conflictLists, findConflicts } from '../../review/conflicts.ts';
import { approveSession } from '../../review/decisions/approve.ts';
import { proposeSession } from '../../review/decisions/propose.ts';
import { rejectSession } from '../../review/decisions/reject.ts';
import { readDiff } from '../../review/diff/diff.ts';
import { readChanges, readOutline } from '../../review/diff/diff-pages.ts';
import { unknownTable } from '../../review/diff/known-tables.ts';
import { readStepPage } from '../../review/diff/step-pages.ts';
import type { Part } from '../../review/edits/parts.ts';
import { getSession } from '../../staging/session-store.ts';
import { changePageBody, outlineBody, sessionBody, stepPageBody } from '../bodies.ts';
import { diffStream } from '../diff-stream.ts';
import { findIn, withApprovals } from '../policy-bodies.ts';
import { defineRoute } from '../route.ts';
import { changePage, outline, stepPage } from '../schemas/diff-pages.ts';
import { approvedSession, votedSession } from '../schemas/differences.ts';
import {
  columnName,
  cursor,
  digest,
  flag,
  longText,
  manySteps,
  message,
  moment,
  momentOf,
  operation,
  paging,
  shortText,
  stepCursor,
} from '../schemas/inputs.ts';
import { conflictList, diff, session } from '../schemas/outputs.ts';
import { only, withTies } from '../schemas/split.ts';
import { choiceOf } from './unstage.ts';

const showDiff = defineRoute({
  method: 'get',
  path: '/sessions/:id/diff',
  name: 'getDiff',
  summary:
    'Shows the net change of every row, by table. With limit, only so many changes; counts stay those of the whole. With steps=true, all that approval replays follows in order.',
  right: 'read',
  query: z.object({
    table: shortText.optional(),
    type: operation.optional(),
    limit: paging.limit.optional(),
    offset: paging.offset,
    steps: flag.optional(),
  }),
  responses: { 200: diff },
  errors: ['session_not_found', 'took_too_long', 'busy'],
  needsUpstream: true,
  handle: async ({ id, query, caller }, { db, diffs }) => {
    const readableOnly = seesReadableOnly(caller);
    const leave = await diffs.take();
    try {
      const diff = await readDiff(db, id, readableOnly);
      const names = diff.counts.map(({ table }) => table);
      const unknown =
        query.table === undefined || names.includes(query.table)
          ? null
          : await unknownTable(db, query.table, readableOnly ? names : undefined);
      return { body: diffStream(id, diff, { ...query, unknown }).once('close', leave) };
    } catch (error) {
      leave();
      throw error;
    }
  },
});

const showOutline = defineRoute({
  method: 'get',
  path: '/sessions/:id/diff/outline',
  name: 'getDiffOutline',
  summary: 'Counts the changes, by table and in chunks by which any page of the diff is found.',
  right: 'read',
  responses: { 200: outline },
  errors: ['session_not_found', 'took_too_long'],
  needsUpstream: true,
  handle: async ({ id, caller }, { db }) => ({
    body: outlineBody(id, await readOutline(db, id, seesReadableOnly(caller))),
  }),
});

const listChanges = defineRoute({
  method: 'get',
  path: '/sessions/:id/diff/changes',
  name: 'listChanges',
  summary:
    "Gives a page of one table's changes, from a cursor on. It may be shorter than asked for: next_cursor says where to read on. With sort, the changes come by the values of that column, and cursors count them; at most 10,000 are sorted. With why=true, each names the statements that made it.",
  right: 'read',
  query: z.object({
    table: shortText,
    type: operation.optional(),
    search: shortText.optional(),
    sort: columnName.optional(),
    descending: flag.optional(),
    why: flag.optional(),
    cursor,
    ...paging,
  }),
  responses: { 200: changePage },
  errors: ['session_not_found', 'took_too_long'],
  needsUpstream: true,
  handle: async ({ id, query, caller }, { db }) => {
    const filter = { ...query, readableOnly: seesReadableOnly(caller) };
    return { body: changePageBody(id, query.table, await readChanges(db, id, filter)) };
  },
});

const listSteps = defineRoute({
  method: 'get',
  path: '/sessions/:id/diff/steps',
  name: 'listSteps',
  summary:
    'Returns a page of the steps that approval replays, in order, from a cursor on. It may be shorter than requested: next_cursor continues it.',
  right: 'read',
  query: z.object({
    table: shortText.optional(),
    type: operation.optional(),
    cursor: stepCursor,
    limit: manySteps,
  }),
  responses: { 200: stepPage },
  errors: ['session_not_found', 'took_too_long'],
  needsUpstream: true,
  handle: async ({ id, query, caller }, { db }) => {
    const filter = { ...query, readableOnly: seesReadableOnly(caller) };
    return { body: stepPageBody(id, await readStepPage(db, id, filter)) };
  },
});

const showConflicts = defineRoute({
  method: 'get',
  path: '/sessions/:id/conflicts',
  name: 'findConflicts',
  summary: 'Makes the check that approve would make, and changes nothing.',
  right: 'read',
  responses: { 200: conflictList },
  errors: ['session_not_found', 'took_too_long'],
  needsUpstream: true,
  handle: async ({ id, caller }, { db, ignoredColumns }) => {
    const found = await findConflicts(db, id, seesReadableOnly(caller), { ignoredColumns });
    const lists = conflictLists(found);
    return { body: { session_id: id, id, ...lists, total_count: lists.conflicts.length } };
  },
});

const propose = defineRoute({
  method: 'post',
  path: '/sessions/:id/propose',
  name: 'proposeSession',
  summary: 'Submits an active session for review; it takes no further writes.',
  right: 'write',
  body: z.strictObject({ message: message.nullish() }),
  responses: { 200: session },
  errors: ['session_not_found', 'invalid_transition', 'session_busy', 'policy_refused'],
  needsUpstream: true,
  handle: async ({ id, body, caller }, { db }) => ({
    body: sessionBody(await proposeSession(db, id, caller.name, body.message ?? null)),
  }),
});

const approve = defineRoute({
  method: 'post',
  path: '/sessions/:id/approve',
  name: 'approveSession',
  summary:
    'Applies a proposed session to production: all of it in one transaction, or nothing. With only, a part of it; the rest goes to a new, active session. 202 where the policy demands that others agree, too: the approval is recorded as a vote.',
  right: 'review',
  // guard: unknown members of a body are refused
  body: z.strictObject({
    approved_by: shortText.nullish(),
    digest: digest.nullish(),
    only,
    with_ties: withTies,
    at: moment,
    break_glass: message.nullish(),
  }),
  responses: { 200: approvedSession, 202: votedSession },
  errors: [
    'session_not_found',
    'invalid_transition',
    'session_busy',
    'four_eyes_required',
    'staged_after_proposal',
    'conflict_detected',
    'apply_failed',
    'digest_mismatch',
    'no_such_change',
    'has_dependents',
    'not_splittable',
    'trigger_differences',
    'policy_refused',
    'proposal_expired',
    'outside_window',
    'approver_required',
    'busy',
  ],
  needsUpstream: true,
  handle: async ({ id, body, caller }, { db, approvals, metrics, access, ...rules }) => {
    const leave = await approvals.take();
    const end = metrics.approving();
    try {
      const { approved_by: claimed = null, digest = null, at, break_glass: breakGlass } = body;
      const approvedBy = claimed ?? caller.name;
      const databaseRoles = databaseRolesOf(access.tokens(), caller);
      const { fourEyes, approveLockTimeoutMs: lockTimeoutMs, ignoredColumns } = rules;
      const refuseDifferences = rules.triggerDifferences === 'refuse';
      const findPerson = findIn(access.tokens());
      const only = partOf(body);
      const way = { moment: momentOf(at), breakGlass: breakGlass ?? null, findPerson };
      const by = { approvedBy, approvedAs: caller.name, databaseRoles, digest, only, ...way };
      const { status } = await getSession(db, id);
      const demands = { fourEyes, lockTimeoutMs, ignoredColumns, refuseDifferences };
      const approved = await approveSession(db, id, { ...by, ...demands });
      const { approvals: votes = null } = approved;
      if (votes !== null || approved.applyAt !== null) {
        end('voted');
        const body = { ...sessionBody(approved), ...withApprovals(votes) };
        return { status: 202, body };
      }
      if (status !== 'approved' && approved.breakGlass !== null) metrics.glassBroken();
      // a repeated approval of the same diff applies nothing
      if (status !== 'approved') metrics.reviewed('approved', approved.mutationCount);
      end('approved');
      return { body: { ...sessionBody(approved), differences: approved.differences } };
    } catch (error) {
      end('refused');
      if (error instanceof StageError && error.code === 'conflict_detected') metrics.conflict();
      throw error;
    } finally {
      leave();
    }
  },
});

interface PartBody {
  readonly only?: z.infer<typeof only>;
  readonly with_ties?: z.infer<typeof withTies>;
}

/** Converts the part of an approval; null for the whole. */
function partOf({ only: rows, with_ties: ties }: PartBody): Part | null {
  return rows == null ? null : { rows: rows.map(choiceOf), withTies: ties ?? false };
}

const reject = defineRoute({
  method: 'post',
  path: '/sessions/:id/reject',
  name: 'rejectSession',
  summary: 'Rejects a proposed session and discards everything it staged.',
  right: 'review',
  body: z.strictObject({ reason: longText.nullish() }),
  responses: { 200: session },
  errors: ['session_not_found', 'invalid_transition', 'session_busy'],
  needsUpstream: true,
  handle: async ({ id, body, caller }, { db, metrics }) => {
    const rejected = await rejectSession(db, id, body.reason ?? null, caller.name);
    metrics.reviewed('rejected', rejected.mutationCount);
    return { body: sessionBody(rejected) };
  },
});

export const reviewRoutes = [
  showDiff,
  showOutline,
  listChanges,
  listSteps,
  showConflicts,
  propose,
  approve,
  reject,
];

/** Routes of the discussion of a session: reopen with a message, list verdicts, add and list comments. */
import { z } from 'zod';
import { StageError } from '../../errors.ts';
import { databaseRolesOf, hasRight } from '../../model/access.ts';
import type { Decision } from '../../model/decision.ts';
import type { Comment, Event } from '../../model/event.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import { membersOf } from '../../model/json-members.ts';
import { reviewSession } from '../../review/decisions/late-review.ts';
import { reopenSession } from '../../review/decisions/reopen.ts';
import { listDecisions } from '../../staging/decision-store.ts';
import { addComment, listComments } from '../../staging/event-store.ts';
import { getSession } from '../../staging/session-store.ts';
import { isAuthorOf } from '../access.ts';
import { commentBody, decisionBody, sessionBody } from '../bodies.ts';
import { PagedList } from '../page.ts';
import { defineRoute } from '../route.ts';
import { comment, commentList, decisionList } from '../schemas/discussion.ts';
import { faultOfKey, jsonObject, listing, message, shortText } from '../schemas/inputs.ts';
import { session } from '../schemas/outputs.ts';

const reopen = defineRoute({
  method: 'post',
  path: '/sessions/:id/reopen',
  name: 'reopenSession',
  summary:
    'Returns a proposed session to its author, with a message: a reviewer requests changes, or the author withdraws it.',
  right: 'read',
  // guard: a request for changes needs a message
  body: z.strictObject({ message }),
  responses: { 200: session },
  errors: ['session_not_found', 'invalid_transition', 'session_busy', 'staged_after_proposal'],
  needsUpstream: true,
  handle: async ({ id, body, caller }, { db }) => {
    const isOwn = isAuthorOf(caller, await getSession(db, id));
    // guard: a session is reopened by reviewers and its author
    if (!isOwn && !hasRight(caller, 'review')) throw notForOthers();
    const reopening = { message: body.message, reopenedAs: caller.name, asReviewer: !isOwn };
    return { body: sessionBody(await reopenSession(db, id, reopening)) };
  },
});

const review = defineRoute({
  method: 'post',
  path: '/sessions/:id/review',
  name: 'reviewSession',
  summary:
    'Records that somebody else has reviewed an approval that went past the policy. Until then the session has review_due.',
  right: 'review',
  body: z.strictObject({ message: message.nullish() }),
  responses: { 200: session },
  errors: ['session_not_found', 'invalid_transition', 'session_busy', 'four_eyes_required'],
  needsUpstream: true,
  handle: async ({ id, body, caller }, { db, access }) => {
    const databaseRoles = databaseRolesOf(access.tokens(), caller);
    const by = { reviewedAs: caller.name, databaseRoles, message: body.message ?? null };
    return { body: sessionBody(await reviewSession(db, id, by)) };
  },
});

function notForOthers(): StageError {
  return new StageError('forbidden', 'the session was created and proposed with other tokens', {
    hint: 'A reviewer reopens any session, an author its own.',
  });
}

const verdictPages = new PagedList<Decision>({
  name: 'decisions',
  placeOf: ({ number }) => [number],
  forms: [/^\d{1,18}$/],
});

const listVerdicts = defineRoute({
  method: 'get',
  path: '/sessions/:id/decisions',
  name: 'listDecisions',
  summary:
    'Lists every verdict on a session, oldest first: approved, rejected, changes requested, withdrawn, expired.',
  right: 'read',
  query: z.object(listing),
  responses: { 200: decisionList },
  errors: ['session_not_found'],
  needsUpstream: true,
  handle: async ({ id, query }, { db }) => {
    const after = verdictPages.placeIn({ id, query });
    const page = await listDecisions(db, id, { ...query, after });
    return {
      body: {
        session_id: id,
        id,
        decisions: page.decisions.map(decisionBody),
        ...verdictPages.members({ id, query }, { ...page, items: page.decisions }),
      },
    };
  },
});

/** A row's key. It is stored as it was written, because numbers may have more digits than JavaScript keeps. */
const rowId = z.union([z.number(), z.string().max(2000), jsonObject]).nullish();

const addRemark = defineRoute({
  method: 'post',
  path: '/sessions/:id/comments',
  name: 'addComment',
  summary: 'Comments on a session, a table or a row of it, in any state.',
  right: 'read',
  body: z.strictObject({ body: message, table: shortText.nullish(), row_id: rowId }),
  responses: { 201: comment },
  errors: ['session_not_found'],
  needsUpstream: true,
  handle: async ({ id, body, texts, caller }, { db }) => {
    const { table = null, row_id: key = null } = body;
    const row = key === null ? null : boundedKey(texts.get('row_id'));
    if (row !== null && table === null) throw invalid('row_id: goes with table');
    const remark = new JsonText(stringifyJson({ body: body.body, table, row_id: row }));
    const added = await addComment(db, id, { by: caller.name, body: remark });
    return { status: 201, body: commentBody(toComment(added)) };
  },
});

function boundedKey(text: JsonText | undefined): JsonText | null {
  if (text === undefined) return null;
  const fault = faultOfKey(text.text);
  // guard: the key of a row in a comment can be stored
  if (fault !== null) throw invalid(`row_id: ${fault}`);
  return text;
}

function invalid(text: string): StageError {
  return new StageError('invalid_request', text, {
    hint: 'GET /openapi.json describes every parameter and member.',
  });
}

const remarkPages = new PagedList<Event>({
  name: 'comments',
  placeOf: ({ number }) => [number],
  forms: [/^\d{1,18}$/],
});

const listRemarks = defineRoute({
  method: 'get',
  path: '/sessions/:id/comments',
  name: 'listComments',
  summary:
    'Lists the comments on a session, and the messages with which it was proposed and reopened, oldest first.',
  right: 'read',
  query: z.object(listing),
  responses: { 200: commentList },
  errors: ['session_not_found'],
  needsUpstream: true,
  handle: async ({ id, query }, { db }) => {
    const after = remarkPages.placeIn({ id, query });
    const page = await listComments(db, id, { ...query, after });
    return {
      body: {
        session_id: id,
        id,
        comments: page.comments.map((event) => commentBody(toComment(event))),
        ...remarkPages.members({ id, query }, { ...page, items: page.comments }),
      },
    };
  },
});

/** Returns the comment that an event reports. */
function toComment({ number, sessionId, kind, at, by, body }: Event): Comment {
  const members = membersOf(body);
  const member = (name: string) => members.get(name) ?? null;
  const textOf = (json: JsonText | null) => json && (JSON.parse(json.text) as string | null);
  const rowId = member('row_id');
  return {
    id: `cmt_${number}`,
    sessionId,
    kind,
    body: textOf(member('body')) ?? textOf(member('message')) ?? '',
    table: textOf(member('table')),
    rowId: rowId?.text === 'null' ? null : rowId,
    at,
    by,
  };
}

export const discussionRoutes = [reopen, review, listVerdicts, addRemark, listRemarks];

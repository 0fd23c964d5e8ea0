/** Routes of the audit of applied changes. */
import { z } from 'zod';
import { isInScope, seesReadableOnly } from '../../model/access.ts';
import type { AuditEntry } from '../../model/audit.ts';
import { auditEntryNotFound, getAuditEntry, listAudit } from '../../review/audit-store.ts';
import { auditHead, verifyAudit } from '../../review/verify-audit.ts';
import { demandProject } from '../access.ts';
import { auditBody } from '../bodies.ts';
import { PagedList } from '../page.ts';
import { defineRoute } from '../route.ts';
import { auditEnd, auditEntry, auditList, auditVerdict } from '../schemas/audit.ts';
import { digest, listing, operation, shortText, timestamp } from '../schemas/inputs.ts';

const entryPages = new PagedList<AuditEntry>({
  name: 'audit',
  placeOf: ({ id }) => [id.slice('aud_'.length)],
  forms: [/^\d{1,18}$/],
});

const list = defineRoute({
  method: 'get',
  path: '/audit',
  name: 'listAudit',
  summary: 'Lists the applied changes of a project, oldest first.',
  right: 'audit',
  query: z.object({
    project_id: shortText,
    session_id: shortText.optional(),
    table_name: shortText.optional(),
    operation: operation.optional(),
    since: timestamp.optional(),
    until: timestamp.optional(),
    ...listing,
  }),
  responses: { 200: auditList },
  errors: [],
  needsUpstream: true,
  handle: async ({ query, caller }, { db }) => {
    demandProject(caller, query.project_id);
    const page = await listAudit(db, {
      projectId: query.project_id,
      sessionId: query.session_id,
      tableName: query.table_name,
      operation: query.operation,
      since: query.since,
      until: query.until,
      readableOnly: seesReadableOnly(caller),
      limit: query.limit,
      offset: query.offset,
      after: entryPages.placeIn({ query }),
    });
    return {
      body: {
        entries: page.entries.map(auditBody),
        ...entryPages.members({ query }, { ...page, items: page.entries }),
      },
    };
  },
});

const verify = defineRoute({
  method: 'get',
  path: '/audit/verify',
  name: 'verifyAudit',
  summary:
    'Recomputes the hash chain and names the first entry that does not fit. With checkpoint, a head that was noted down ' +
    'earlier, the chain must have passed through it.',
  right: 'review',
  query: z.object({ checkpoint: digest.optional() }),
  responses: { 200: auditVerdict },
  errors: [],
  needsUpstream: true,
  handle: async ({ query }, { db }) => {
    const verdict = await verifyAudit(db, query.checkpoint ?? null);
    const { ok, entries, approvals, firstBad, head } = verdict;
    return { body: { ok, entries, approvals, first_bad: firstBad && { ...firstBad }, head } };
  },
});

const head = defineRoute({
  method: 'get',
  path: '/audit/head',
  name: 'getAuditHead',
  summary: 'Returns the end of the hash chain and its length, without verifying it.',
  right: 'review',
  responses: { 200: auditEnd },
  errors: [],
  needsUpstream: true,
  handle: async (_, { db }) => ({ body: await auditHead(db) }),
});

const get = defineRoute({
  method: 'get',
  path: '/audit/:id',
  name: 'getAuditEntry',
  summary: 'Shows one applied change.',
  right: 'audit',
  responses: { 200: auditEntry },
  errors: ['audit_entry_not_found'],
  needsUpstream: true,
  handle: async ({ id, caller }, { db }) => {
    const entry = await getAuditEntry(db, id, seesReadableOnly(caller));
    if (!isInScope(caller, entry.projectId)) throw auditEntryNotFound(id);
    return { body: auditBody(entry) };
  },
});

/** `verify` and `head` precede `:id`, which would match their paths. */
export const auditRoutes = [list, verify, head, get];

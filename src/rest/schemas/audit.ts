/** Schemas of the responses of the audit. */
import { z } from 'zod';
import { operations } from '../../model/change.ts';
import { count, hidden, row, texts, time, tokenName } from './outputs.ts';

export const auditEntry = z
  .object({
    id: z.string().regex(/^aud_/),
    session_id: z.string(),
    project_id: z.string(),
    table_name: z.string(),
    operation: z.enum(operations),
    row_id: z.string().nullable().meta({ description: 'null where it is hidden' }),
    old_data: row.nullable(),
    new_data: row.nullable(),
    staged: row.optional().meta({
      description: "The staged values of columns that production's triggers set to other ones",
    }),
    texts,
    approved_at: time,
    approved_by: z.string().nullable(),
    approved_as: tokenName,
    split_from: z.string().optional().meta({ description: 'The session that it was split from' }),
    hidden,
  })
  .meta({ id: 'AuditEntry' });

export const auditList = z.object({
  entries: z.array(auditEntry),
  total_count: count,
  has_more: z.boolean(),
});

export const auditEnd = z.object({
  entries: count,
  approvals: count,
  head: z.string().meta({ description: 'Where the chain ends: note it down to compare it later' }),
});

export const auditVerdict = auditEnd.extend({
  ok: z.boolean(),
  first_bad: z.object({ id: z.string(), reason: z.string() }).nullable(),
});

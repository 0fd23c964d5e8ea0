/** Schemas of the policy: its document, its versions, and what it says about a session. */
import { z } from 'zod';
import { policyDocument } from '../../review/policy/document.ts';
import { count, sessionIds, time } from './outputs.ts';

const version = z.string().regex(/^\d+$/).meta({ description: '0 if none was ever set' });

export const policyVersion = z
  .object({
    version,
    document: policyDocument,
    hash: z.string().nullable().meta({ description: "SHA-256 of the document's text" }),
    set_by: z.string().nullable(),
    message: z.string().nullable(),
    at: time.nullable(),
  })
  .meta({ id: 'PolicyVersion' });

export const policyHistory = z.object({
  versions: z.array(policyVersion),
  total_count: count,
  has_more: z.boolean(),
});

const verdict = z
  .object({
    rule: z.string(),
    limit: z.enum([
      'deny',
      'deny_columns',
      'max_rows',
      'expire',
      'windows',
      'four_eyes',
      'approvals',
    ]),
    table: z.string().nullable().meta({ description: 'null if it is about the session' }),
    holds: z.boolean().meta({ description: 'Whether the session keeps to it' }),
    says: z.string(),
    opens_at: z.string().optional().meta({ description: 'When the windows open' }),
  })
  .meta({ id: 'PolicyVerdict' });

export const approvals = z
  .object({
    needed: count,
    count: count.meta({ description: 'How many of them have agreed' }),
    given: z.array(
      z.object({
        as: z.string(),
        at: time,
        counts: z.boolean(),
        why: z.string().nullable().meta({ description: 'Why it does not count' }),
      }),
    ),
    missing: z.array(
      z.object({
        rule: z.string(),
        more: count,
        may: z.array(z.string()).nullable().meta({
          description: 'Names, and roles as role:reviewer; null for everybody who may approve',
        }),
      }),
    ),
  })
  .meta({ id: 'Approvals' });

export const sessionPolicy = z.object({
  ...sessionIds,
  version: version.meta({ description: 'Of the policy; 0 if no rule holds for the session' }),
  verdicts: z.array(verdict),
  approvals: approvals.optional(),
});

/** Schemas of the policy: its document, its versions, and its verdict about a session. */
import { z } from 'zod';
import { approvalsShape, policyVersionShape, sessionPolicyShape } from '../../model/policy.ts';
import { policyDocument } from '../../review/policy/document.ts';
import { schemaOf } from './noun-schema.ts';
import { pageMembers, sessionIds } from './outputs.ts';

export const policyVersion = schemaOf(policyVersionShape)
  .extend({ document: policyDocument })
  .meta({ id: 'PolicyVersion' });

export const policyHistory = z.object({
  versions: z.array(policyVersion),
  ...pageMembers,
});

export const approvals = schemaOf(approvalsShape);

export const sessionPolicy = z.object({ ...sessionIds, ...schemaOf(sessionPolicyShape).shape });

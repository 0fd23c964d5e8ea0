/** Schemas of the responses of the audit. */
import { z } from 'zod';
import { auditEntryShape } from '../../model/audit.ts';
import { auditEndShape, auditVerdictShape } from '../../model/service.ts';
import { schemaOf } from './noun-schema.ts';
import { pageMembers } from './outputs.ts';

export const auditEntry = schemaOf(auditEntryShape);

export const auditList = z.object({
  entries: z.array(auditEntry),
  ...pageMembers,
});

export const auditEnd = schemaOf(auditEndShape);

export const auditVerdict = schemaOf(auditVerdictShape);

/** JSON Schemas of what the commands print with --json, which is what this interface answers. */
import { z } from 'zod';
import {
  auditEntry,
  auditList,
  auditVerdict,
  conflictList,
  deletedSession,
  diff,
  mutationList,
  session,
  sessionList,
} from './outputs.ts';

/** By the command that prints it; `session new`, `propose`, `approve` and others print a session. */
const documents: Readonly<Record<string, z.ZodType>> = {
  session,
  'session-list': sessionList,
  'session-delete': deletedSession,
  diff,
  log: mutationList,
  check: conflictList,
  'audit-list': auditList,
  'audit-show': auditEntry,
  'audit-verify': auditVerdict,
};

/** Gives each schema as the text of a file, by name. Objects are open: later versions may add members. */
export function schemaDocuments(): Record<string, string> {
  const text = (schema: z.ZodType) =>
    `${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)}\n`;
  return Object.fromEntries(
    Object.entries(documents).map(([name, schema]) => [name, text(schema)]),
  );
}

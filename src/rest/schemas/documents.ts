/** JSON Schemas of what the commands print with --json and -o jsonl: mostly the responses of the REST API. */

import { z } from 'zod';
import { roles } from '../../model/access.ts';
import { infoShape } from '../../model/service.ts';
import { sessionStatuses } from '../../model/session.ts';
import { auditEntry, auditList, auditVerdict } from './audit.ts';
import { sessionList } from './card.ts';
import { connectionList } from './connections.ts';
import { schemaOfField } from './noun-schema.ts';
import {
  change,
  conflictList,
  count,
  deletedSession,
  diff,
  failure,
  lastUsedAt,
  mutation,
  mutationList,
  session,
} from './outputs.ts';
import { rehearsal } from './rehearsal.ts';
import { loginList, revokedLogins } from './web.ts';

const status = z.object({
  server: z.string(),
  status: z.enum(['ok', 'degraded']),
  upstream: z.enum(['connected', 'disconnected']),
  error: z.string().optional(),
  version: z.string(),
  proxy: schemaOfField(infoShape.members.proxy),
  database: z.string(),
  embedded: z.boolean(),
  sessions_active: count.nullable(),
  session_id: z.string().nullable().meta({ description: 'Session that commands here mean' }),
});

const doctor = z.object({
  ok: z.boolean().meta({ description: 'No finding is a danger' }),
  role: z.string().nullable(),
  findings: z.array(
    z.object({
      check: z.string(),
      level: z.enum(['danger', 'warning', 'note']),
      message: z.string(),
      about: z.array(z.string()),
      hint: z.string(),
    }),
  ),
});

const uninstall = z.object({
  database: z.string(),
  removed: z
    .array(z.string())
    .meta({ description: 'Names of the schemas that were dropped, in order' }),
});

const trust = z.object({
  subjects: z.array(
    z.object({
      kind: z.enum(['file', 'cluster']),
      path: z.string(),
      state: z
        .enum(['trusted', 'changed', 'gone', 'revoked'])
        .meta({ description: 'Against what it was when it was trusted' }),
    }),
  ),
});

const token = z.object({
  id: z.string().meta({ description: 'The first 12 digits of its hash' }),
  name: z.string(),
  role: z.enum(roles),
  projects: z.array(z.string()).nullable().meta({ description: 'null for all' }),
  database_roles: z.array(z.string()),
  expires_at: z.iso.datetime().nullable(),
  expired: z.boolean(),
});

const gc = z.object({
  sessions: z.array(
    z.object({
      session_id: z.string(),
      outcome: z
        .enum(['deleted', 'in use', 'found'])
        .meta({ description: 'found: with --dry-run, nothing was done' }),
    }),
  ),
});

const eventLine = z.union([
  z.object({ event: z.literal('mutation'), mutation }),
  z.object({
    event: z.literal('status'),
    status: z.enum([...sessionStatuses, 'deleted']),
    session: z.union([session, z.object({ session_id: z.string() })]),
  }),
]);

const lastLine = z
  .object({
    end: z.literal(true),
    changes: count.meta({ description: 'The number of lines before it' }),
    digest: z
      .string()
      .nullable()
      .meta({ description: 'null where the diff was not read to its end' }),
  })
  .meta({ description: 'The last line: without it the output was cut' });

/** By the command that prints it. `session new`, `propose`, `approve` and others print a session. */
const documents: Readonly<Record<string, z.ZodType>> = {
  session,
  'session-list': sessionList,
  'session-connections': connectionList,
  'session-delete': deletedSession,
  gc,
  diff,
  log: mutationList,
  check: conflictList,
  rehearsal,
  'audit-list': auditList,
  'audit-show': auditEntry,
  'audit-verify': auditVerdict,
  status,
  doctor,
  trust,
  'token-new': token.extend({ token: z.string().meta({ description: 'The token itself' }) }),
  'token-list': z.object({
    tokens: z.array(
      token.extend({
        last_used_at: lastUsedAt.optional().meta({
          description: 'null where no use is known; absent where the daemon did not answer',
        }),
      }),
    ),
  }),
  'login-list': loginList,
  'login-revoke': revokedLogins,
  uninstall,
  'review-link': z.object({
    url: z.string(),
    expires_at: z.iso.datetime().nullable().meta({ description: 'null where no login is needed' }),
  }),
  error: failure,
  'watch-line': eventLine,
  'diff-line': z.union([change.extend({ table: z.string() }), lastLine]),
  'log-line': mutation,
};

/** Returns each schema as the text of a file, by name. Objects are open: later versions may add members. */
export function schemaDocuments(): Record<string, string> {
  const text = (schema: z.ZodType) =>
    `${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)}\n`;
  return Object.fromEntries(
    Object.entries(documents).map(([name, schema]) => [name, text(schema)]),
  );
}

/** Schemas of the responses, for the OpenAPI document and for the tests that validate every response. */
import { z } from 'zod';
import { roles } from '../../model/access.ts';
import { conflictKinds, operations } from '../../model/change.ts';
import { conflictScopes, readsModes, sessionStatuses } from '../../model/session.ts';
import { sessionLinks } from './session-links.ts';

export const time = z
  .string()
  .meta({ format: 'date-time', description: 'ISO 8601, UTC, microseconds' });
export const count = z.int().min(0);
export const row = z
  .record(z.string(), z.unknown())
  .meta({ description: "Full row in PostgreSQL's own JSON" });
export const rowId = z
  .union([z.int(), z.string(), z.record(z.string(), z.unknown())])
  .meta({ description: 'Value of the key; an object of column and value for a composite key' });
export const texts = z.record(z.string(), z.record(z.string(), z.string())).optional().meta({
  description:
    "PostgreSQL's own texts of values that JSON does not tell from others, by the member that holds the row, then by column: JSON null beside NULL, json as it was written, bounds of arrays",
});
export const sessionIds = {
  session_id: z.string().regex(/^sess_[0-9a-f]{32}$/),
  id: z.string().meta({ description: 'The same as session_id' }),
};

export const hidden = z.literal(true).optional().meta({
  description:
    "Stands where an author's token is told no more than that it is there: a database role that staged in the session may not read the table",
});

export const tokenName = z
  .string()
  .optional()
  .meta({ description: 'Name of the token that was shown' });

export const session = z
  .object({
    ...sessionIds,
    project_id: z.string(),
    metadata: z.record(z.string(), z.unknown()),
    status: z.enum(sessionStatuses),
    reads: z.enum(readsModes),
    conflict_scope: z.enum(conflictScopes),
    round: count.meta({ description: 'How often it was proposed' }),
    mutation_count: count,
    edits: count.meta({ description: 'How often staged rows were taken out of it' }),
    last_event: z.string().meta({
      description: 'Number of the last event that tells of it: what follows is behind it',
    }),
    created_at: time,
    updated_at: time,
    proposed_at: time.optional(),
    approved_at: time.optional(),
    applied_at: time.optional().meta({ description: 'The same as approved_at' }),
    approved_by: z.string().nullish(),
    rejected_at: time.optional(),
    reason: z.string().nullish(),
    created_as: tokenName,
    proposed_as: tokenName,
    approved_as: tokenName,
    rejected_as: tokenName,
    ...sessionLinks,
    roles: z.array(z.string().nullable()).meta({
      description: 'Database roles that staged in it; null among them where one is not known',
    }),
  })
  .meta({ id: 'Session' });

export const sessionList = z.object({
  sessions: z.array(session),
  total_count: count,
  has_more: z.boolean(),
});

export const deletedSession = z.object({
  ...sessionIds,
  status: z.literal('deleted'),
  deleted_at: time,
});

export const mutation = z
  .object({
    id: z.string().regex(/^mut_/),
    type: z.enum(operations),
    table: z.string(),
    query: z.string().nullable().meta({ description: 'null where it is hidden' }),
    params: z.array(z.unknown()).nullable().meta({ description: 'null where they are hidden' }),
    affected_rows: count,
    executed_at: time,
    role: z
      .string()
      .nullable()
      .meta({ description: 'Database role that staged it; null where that is not known' }),
    login: z.string().nullable().meta({
      description: 'Database role that logged in, where it set `role` by SET ROLE; else null',
    }),
    statement: z.string().regex(/^\d+$/).meta({
      description: 'The same for all mutations of one statement, which may write to several tables',
    }),
    hidden,
  })
  .meta({ id: 'Mutation' });

export const mutationList = z.object({
  session_id: z.string(),
  mutations: z.array(mutation),
  total_count: count,
  has_more: z.boolean(),
});

export const change = z
  .object({
    type: z.enum(operations),
    row_id: rowId,
    before: row.nullable(),
    after: row.nullable(),
    texts,
  })
  .meta({ id: 'Change' });

export const step = change
  .extend({
    table: z.string(),
    mutation_id: z.string().regex(/^mut_/).meta({ description: 'The mutation it is a part of' }),
    statement: z
      .string()
      .nullable()
      .meta({ description: 'The same for all steps of one statement' }),
  })
  .meta({ id: 'Step' });

export const furtherChanges = count.meta({
  description:
    'Row changes that approval replays beside the net ones: of rows that change again, or end as they began',
});

export const columns = z
  .array(z.object({ name: z.string(), type: z.string(), generated: z.boolean() }))
  .meta({ description: "The table's columns in their order, as they are now" });

export const triggers = z
  .array(
    z.object({
      name: z.string(),
      timing: z.enum(['BEFORE', 'AFTER']),
      events: z.array(z.enum(operations)),
      unstaged: z.string().nullable().meta({
        description:
          'Why it has not fired while rows were staged, so that the changes do not show what it does; null where it has',
      }),
    }),
  )
  .meta({
    description:
      'Triggers of production that run at approval, and for which kinds of staged changes',
  });

const tableDiff = z
  .object({
    inserts: count,
    updates: count,
    deletes: count,
    further_changes: furtherChanges,
    hidden,
    columns,
    triggers,
    changes: z.array(change),
  })
  .meta({ id: 'TableDiff' });

export const diff = z
  .object({
    ...sessionIds,
    status: z.enum(sessionStatuses),
    digest: z.string().meta({
      description: 'Names exactly what approval replays, step by step; approve can demand it',
    }),
    summary: z.object({
      total_inserts: count,
      total_updates: count,
      total_deletes: count,
      tables_affected: count,
      further_changes: furtherChanges,
    }),
    unknown_table: z.object({ name: z.string(), nearest: z.string().nullable() }).optional().meta({
      description:
        'Where the database has no table of the name that was asked for: the nearest one',
    }),
    tables: z.record(z.string(), tableDiff),
    steps: z.array(step).optional().meta({
      description:
        'Everything that approval replays but changes of hidden tables, where steps=true asked for it',
    }),
  })
  .meta({ id: 'Diff' });

export const conflict = z
  .object({
    table: z.string(),
    row_id: rowId.nullable(),
    field: z.string().nullable(),
    kind: z.enum(conflictKinds),
    session_base: z.unknown(),
    session_new: z.unknown(),
    production_current: z.unknown(),
    session_deletes: z.literal(true).optional().meta({
      description: 'The session deletes the row: session_new is null for this, and no value NULL',
    }),
    texts,
    reason: z.string().optional().meta({
      description: 'What has changed of the table itself, in words',
    }),
    hidden,
  })
  .meta({ id: 'Conflict' });

export const revertedSession = session.extend({
  skipped: z.array(conflict).meta({
    description: 'Rows that were left out: they have changed since the approval',
  }),
});

export const ignored = z.array(conflict).meta({
  description:
    'Changes of columns that the configuration of the service has not count (conflict_ignore_columns); they stand in the way of nothing',
});

export const conflictList = z.object({
  ...sessionIds,
  conflicts: z.array(conflict),
  ignored,
  total_count: count,
});

export const health = z.object({
  status: z.enum(['ok', 'degraded']),
  upstream: z.enum(['connected', 'disconnected']),
  error: z.string().optional(),
  reason: z.string().optional(),
  warning: z.string().optional(),
});

export const probe = z.object({ status: z.literal('ok') });

export const info = z.object({
  version: z.string(),
  proxy: z.object({ host: z.string(), port: z.int() }),
  database: z.string(),
  postgresql: z
    .string()
    .nullable()
    .meta({ description: 'Version of the upstream server; null while it cannot be reached' }),
  embedded: z.object({ user: z.string(), password: z.string() }).nullable(),
});

export const whoami = z.object({
  name: z
    .string()
    .nullable()
    .meta({ description: 'Name of the token; null where none is demanded' }),
  role: z.enum(roles),
  rights: z.array(z.string()),
  projects: z
    .array(z.string())
    .nullable()
    .meta({ description: 'The only projects it is good for; null for all' }),
  operations: z.array(z.string()).meta({
    description:
      'Names of the operations that its role and the configuration allow; a session may still refuse one',
  }),
});

export const lastUsedAt = time.nullable().meta({
  description: 'When it was last used, to the minute; null where no use is known',
});

export const tokenList = z.object({
  tokens: z.array(
    z.object({
      id: z.string().meta({ description: 'The first 12 digits of its hash' }),
      name: z.string(),
      role: z.enum(roles),
      last_used_at: lastUsedAt,
    }),
  ),
});

export const failure = z
  .looseObject({
    error: z.string().meta({ description: 'Stable code' }),
    message: z.string(),
    hint: z.string().optional(),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });

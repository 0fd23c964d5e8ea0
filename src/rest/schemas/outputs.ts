/** Schemas of the responses, for the OpenAPI document and for the tests that validate every response. */
import { z } from 'zod';
import { changeShape, mutationShape, stepShape, tableDiffShape } from '../../model/change.ts';
import { conflictShape } from '../../model/conflict.ts';
import { revertedShape } from '../../model/edits.ts';
import { rehearsalShape } from '../../model/rehearsal.ts';
import { callerShape, healthShape, infoShape, tokenUseShape } from '../../model/service.ts';
import { sessionShape, sessionStatuses } from '../../model/session.ts';
import { schemaOf, schemaOfField, time } from './noun-schema.ts';

export const count = z.int().min(0);
export const sessionIds = {
  session_id: z.string().regex(/^sess_[0-9a-f]{32}$/),
  id: z.string().meta({ description: 'The same as session_id' }),
};

/** How a list continues. */
export const pageMembers = {
  total_count: count,
  has_more: z.boolean(),
  next_cursor: z
    .string()
    .nullable()
    .meta({ description: 'What to pass as cursor, to read on; null at the end' }),
};

export const session = schemaOf(sessionShape);

export const deletedSession = z.object({
  ...sessionIds,
  status: z.literal('deleted'),
  deleted_at: time,
});

export const mutation = schemaOf(mutationShape);

export const mutationList = z.object({
  session_id: z.string(),
  mutations: z.array(mutation),
  ...pageMembers,
});

export const change = schemaOf(changeShape);
const step = schemaOf(stepShape);

const furtherChanges = schemaOfField(tableDiffShape.members.furtherChanges);

const tableDiff = schemaOf(tableDiffShape)
  .extend({ changes: z.array(change) })
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

const conflict = schemaOf(conflictShape);

export const revertedSession = session.extend(schemaOf(revertedShape).shape);

export const conflictList = z.object({
  ...sessionIds,
  conflicts: z.array(conflict),
  ignored: schemaOfField(rehearsalShape.members.ignored),
  total_count: count,
});

export const health = schemaOf(healthShape);

export const probe = z.object({ status: z.literal('ok') });

export const info = schemaOf(infoShape);

export const whoami = schemaOf(callerShape);

export const lastUsedAt = schemaOfField(tokenUseShape.members.lastUsedAt);

export const tokenList = z.object({ tokens: z.array(schemaOf(tokenUseShape)) });

export const failure = z
  .looseObject({
    error: z.string().meta({ description: 'Stable code' }),
    message: z.string(),
    hint: z.string().optional(),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });

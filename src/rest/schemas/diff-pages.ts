/** Schemas of the parts of a diff: its outline, and pages of changes and steps. */
import { z } from 'zod';
import { origins } from '../../model/change.ts';
import {
  change,
  columns,
  count,
  furtherChanges,
  hidden,
  mutation,
  sessionIds,
  step,
  triggers,
} from './outputs.ts';

const number = z
  .string()
  .regex(/^\d+$/)
  .meta({ description: 'Place of a change; grows along the diff of its table' });
const stepNumber = z
  .string()
  .regex(/^\d+\.\d+$/)
  .meta({ description: 'Place of a step; grows along the way of approval' });
const revision = z.string().meta({ description: 'Changes whenever the diff may have changed' });

export const outline = z
  .object({
    ...sessionIds,
    revision,
    tables: z.record(
      z.string(),
      z.object({
        inserts: count,
        updates: count,
        deletes: count,
        further_changes: furtherChanges,
        key: z.array(z.string()).meta({ description: 'Columns of the key' }),
        columns,
        triggers,
        has_children: z.literal(true).optional().meta({
          description: 'Where other tables inherit from it: ONLY its own rows are meant',
        }),
        references_itself: z.literal(true).optional().meta({
          description: 'Where a foreign key leads from it to itself, and cannot be deferred',
        }),
        chunks: z.array(z.tuple([number, count, count, count])).meta({
          description:
            'Runs of 500 changes: the cursor each begins at, its inserts, updates and deletes',
        }),
        hidden,
      }),
    ),
  })
  .meta({ id: 'Outline' });

const why = z
  .array(
    z.object({
      mutation: z.string().regex(/^mut_/),
      origin: z.enum(origins).nullable().meta({
        description: 'What led from the statement to the row; null of approved sessions',
      }),
      foreign_keys: z.array(z.string()).meta({
        description: 'Foreign keys that may have carried the statement to this table',
      }),
      trigger: z.string().optional().meta({
        description: 'The trigger that wrote the row; approval leaves the row to it',
      }),
    }),
  )
  .optional()
  .meta({
    description: 'With why=true: the statements that made the change, at most the last 100',
  });

export const stepPage = z
  .object({
    ...sessionIds,
    revision,
    steps: z.array(step.extend({ number: stepNumber })),
    next_cursor: stepNumber.nullable().meta({ description: 'Where to read on; null at the end' }),
  })
  .meta({ id: 'StepPage' });

export const changePage = z
  .object({
    ...sessionIds,
    revision,
    table: z.string(),
    changes: z.array(change.extend({ number, why })),
    mutations: z.array(mutation).optional().meta({
      description: 'With why=true: the mutations that the changes of the page name',
    }),
    next_cursor: number.nullable().meta({ description: 'Where to read on; null at the end' }),
    hidden,
  })
  .meta({ id: 'ChangePage' });

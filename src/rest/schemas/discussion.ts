/** Schemas of the responses about events and comments. */
import { z } from 'zod';
import { verdicts } from '../../model/decision.ts';
import { eventKinds } from '../../model/event.ts';
import { count, rowId, sessionIds, time } from './outputs.ts';

const event = z
  .object({
    number: z
      .string()
      .regex(/^\d+$/)
      .meta({ description: 'Grows in the order of commits, over all sessions' }),
    kind: z.enum(eventKinds),
    at: time,
    by: z.string().nullable().meta({ description: 'Name of the token; null where none was shown' }),
    body: z.record(z.string(), z.unknown()).meta({
      description:
        'message, round, mutation_count, digest, approved_by, reason; of a comment body, table and row_id',
    }),
  })
  .meta({ id: 'Event' });

const last = z
  .string()
  .regex(/^\d+$/)
  .meta({ description: 'What to pass as after, to read on from here' });

export const eventList = z.object({ ...sessionIds, events: z.array(event), last });

export const eventsOfAll = z.object({
  events: z.array(event.extend({ session_id: z.string() }).meta({ id: 'SessionEvent' })),
  last,
});

const decision = z
  .object({
    number: z.string().regex(/^\d+$/).meta({ description: 'Number of the event that reports it' }),
    round: count.meta({ description: 'How often the session had been proposed' }),
    verdict: z.enum(verdicts),
    digest: z.string().nullable().meta({ description: 'Of the approved diff' }),
    by: z.string().nullable().meta({ description: 'Name of the token; null where none was shown' }),
    claimed_by: z.string().nullable().meta({ description: 'approved_by, as the caller stated it' }),
    message: z.string().nullable(),
    at: time,
  })
  .meta({ id: 'Decision' });

export const decisionList = z.object({ ...sessionIds, decisions: z.array(decision) });

export const comment = z
  .object({
    id: z.string().regex(/^cmt_\d+$/),
    session_id: z.string(),
    kind: z.enum(eventKinds).meta({ description: 'comment, or what was done with the words' }),
    body: z.string(),
    table: z.string().nullable(),
    row_id: rowId.nullable(),
    at: time,
    by: z.string().nullable(),
  })
  .meta({ id: 'Comment' });

export const commentList = z.object({
  ...sessionIds,
  comments: z.array(comment),
  total_count: count,
  has_more: z.boolean(),
});

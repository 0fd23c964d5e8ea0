/** Schemas of the responses about events and comments. */
import { z } from 'zod';
import { decisionShape } from '../../model/decision.ts';
import { commentShape, eventOfAllShape, eventShape } from '../../model/event.ts';
import { schemaOf } from './noun-schema.ts';
import { pageMembers, sessionIds } from './outputs.ts';

const event = schemaOf(eventShape);

const last = z
  .string()
  .regex(/^\d+$/)
  .meta({ description: 'What to pass as after, to read on from here' });

export const eventList = z.object({ ...sessionIds, events: z.array(event), last });

export const eventsOfAll = z.object({
  events: z.array(schemaOf(eventOfAllShape)),
  last,
});

const decision = schemaOf(decisionShape);

export const decisionList = z.object({
  ...sessionIds,
  decisions: z.array(decision),
  ...pageMembers,
});

export const comment = schemaOf(commentShape);

export const commentList = z.object({
  ...sessionIds,
  comments: z.array(comment),
  ...pageMembers,
});

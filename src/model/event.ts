/** Events of a session: changes of its state, votes and comments. `expired`: the service rejected it because of its age. */
import { JsonText } from './json.ts';
import type { Noun } from './shape.ts';
import { json, orNull, otherwise, shape, text, time, word } from './shape.ts';

const eventKinds = [
  'created',
  'unstaged',
  'resolved',
  'split',
  'proposed',
  'changes_requested',
  'withdrawn',
  'voted',
  'scheduled',
  'schedule_failed',
  'break_glass',
  'approved',
  'reviewed',
  'rejected',
  'deleted',
  'expired',
  'comment',
] as const;
export type EventKind = (typeof eventKinds)[number];

export const eventShape = shape(
  {
    number: text('Grows in the order of commits, over all sessions; a whole number', /^\d+$/),
    kind: word(eventKinds),
    at: time(),
    by: orNull(text('Name of the token; null if no token was required')),
    body: otherwise(
      json(
        'object',
        'message, round, mutation_count, digest, approved_by, reason; of a comment body, table and row_id',
      ),
      new JsonText('{}'),
    ),
  },
  'Event',
);

export type Event = Noun<typeof eventShape> & { readonly sessionId: string };

/** A comment, or the message that came with a decision. */
export const commentShape = shape(
  {
    id: text(undefined, /^cmt_\d+$/),
    sessionId: text(),
    kind: otherwise(
      text('`comment`, or the kind of the event that the message came with'),
      'comment',
    ),
    body: text(),
    table: orNull(text()),
    rowId: orNull(json('key')),
    at: time(),
    by: orNull(text('Name of the token; null if no token was required')),
  },
  'Comment',
);

export type Comment = Noun<typeof commentShape>;

/** An event in a list over several sessions. */
export const eventOfAllShape = shape({ sessionId: text(), ...eventShape.members }, 'SessionEvent');

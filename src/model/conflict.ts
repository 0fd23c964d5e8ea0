/** Conflicts of a session with production. */
import { hidden, texts } from './change.ts';
import { JsonText } from './json.ts';
import type { Noun } from './shape.ts';
import { json, mark, optional, orNull, otherwise, shape, text, word } from './shape.ts';

/** Kinds of conflicts. `changed` and `gone`: production's row changed; the others: something else prevents the approval. */
const conflictKinds = ['changed', 'gone', 'key_exists', 'cascade', 'schema'] as const;
export type ConflictKind = (typeof conflictKinds)[number];

/** A difference between production's row now and as the session saw it, one entry per column. */
export const conflictShape = shape(
  {
    table: text(),
    // null if it is hidden, or if the table itself has changed
    rowId: otherwise(json('key or null'), new JsonText('null')),
    field: orNull(
      text(
        'The column; null if the whole row is in conflict (a key that now exists, rows nobody reviewed)',
      ),
    ),
    // a kind that only a newer daemon knows is shown as `changed`
    kind: otherwise(word(conflictKinds), 'changed'),
    sessionBase: orNull(json('any')),
    sessionNew: orNull(json('any')),
    productionCurrent: orNull(json('any')),
    texts,
    reason: optional(
      text('The change of the table itself, in words; absent for conflicts between values'),
    ),
    sessionDeletes: mark(
      'The session deletes the row: session_new is null for this, and no value NULL',
    ),
    hidden,
  },
  'Conflict',
);

export type Conflict = Noun<typeof conflictShape> & {
  /** Whether it is only reported, and does not prevent approval: the configuration ignores changes of its column. */
  readonly ignored?: true;
};

/** The results of edits beside the session: unstaging of rows, resolution of conflicts, a revert. */
import { hidden, operations } from './change.ts';
import { conflictShape } from './conflict.ts';
import type { Noun } from './shape.ts';
import { count, flag, json, list, noun, orNull, shape, text, word } from './shape.ts';

/** A row that was removed, or would have to be. */
export const unstagedRowShape = shape({
  table: text(),
  rowId: orNull(json('key', 'null if it is hidden')),
  type: orNull(word(operations, 'What was staged of it in the end; null if that was nothing')),
  hidden,
});

export type RowReport = Noun<typeof unstagedRowShape>;

const tableRows = list(
  noun(shape({ table: text(), rows: count() })),
  'The number of rows by table',
);

export const unstagedShape = shape({
  unstaged: list(
    noun(
      shape({
        ...unstagedRowShape.members,
        dependent: flag('Whether it was removed without being requested'),
      }),
    ),
    'The first 1000 rows that were removed; none of tables without a key',
  ),
  unstagedTables: tableRows,
  tried: flag(
    'Whether production applied the rest in a trial that was rolled back, as it does where the caller may rehearse',
  ),
});

export const resolvedShape = shape({
  resolved: list(noun(conflictShape), 'The conflicts that were settled'),
  conflicts: list(noun(conflictShape), 'The remaining conflicts'),
});

export const revertedShape = shape({
  skipped: list(
    noun(conflictShape),
    'The conflicts of rows that were left out: they have changed since the approval',
  ),
});

export const splitShape = shape({
  partTables: tableRows,
  tied: list(noun(unstagedRowShape), 'The first 1000 rows that were included without being chosen'),
});

/** The result of a rehearsal: it applies a session as an approval would, in a transaction that is rolled back. */
import type { Change, NetCounts } from './change.ts';
import { changeShape, hidden } from './change.ts';
import type { Conflict } from './conflict.ts';
import { conflictShape } from './conflict.ts';
import { differencesShape } from './differences.ts';
import type { JsonText } from './json.ts';
import type { Noun } from './shape.ts';
import { count, flag, json, list, noun, orNull, otherwise, shape, text } from './shape.ts';

/** An error of production that would make approval fail, or the reason why a rehearsal has no result. */
const failureShape = shape({
  sqlstate: text(),
  message: orNull(text('null if it may contain values of tables that the caller may not read')),
  detail: orNull(text()),
  table: orNull(text()),
  constraint: orNull(text()),
  row: orNull(json('key', 'The key of the row that was refused, if it is a single one')),
});

export type Failure = Noun<typeof failureShape>;

/** The number of net changes of the session that approval would apply to a table. */
const landingShape = shape({
  table: text(),
  inserts: count(),
  updates: count(),
  deletes: count(),
  hidden,
});

export type LandingCounts = Noun<typeof landingShape>;

const differingRowShape = shape({
  rowId: json('key'),
  staged: orNull(json('row', 'The staged row')),
  lands: orNull(json('row', 'The row that approval would produce; null if there is none')),
});

export type DifferingRow = Noun<typeof differingRowShape>;

/** Rows whose values would differ from the staged ones, because production's triggers change them or columns merge. */
const differingShape = shape({
  table: text(),
  count: count(),
  rows: list(noun(differingRowShape), 'The first 100; none of a hidden table'),
  hidden,
});

export type Differing = Noun<typeof differingShape>;

/** Rows of one table that approval would change in addition to the session's own. */
const sideEffectsShape = shape({
  table: text(),
  inserts: orNull(count()),
  updates: orNull(count()),
  deletes: orNull(count()),
  scanned: flag(
    'Whether rows were compared; otherwise the table is too large, or was emptied, and operations were counted, null if no counters exist',
  ),
  changes: list(
    noun(shape({ ...changeShape.members, rowId: conflictShape.members.rowId })),
    'The first 100, none of a hidden table; row_id is null in a table without a key',
  ),
  hidden,
});

/** `counts` is null if no counters exist. */
export type SideEffects = Omit<Noun<typeof sideEffectsShape>, keyof NetCounts | 'changes'> & {
  readonly counts: NetCounts | null;
  readonly changes: readonly Change[];
};

export const rehearsalShape = shape(
  {
    ok: flag('Approval would find no conflict, no refusal, and no difference that stops it'),
    digest: text('Digest of the rehearsed steps, as approve accepts it'),
    conflicts: list(noun(conflictShape)),
    ignored: list(
      noun(conflictShape),
      'Changes of columns that the configuration ignores (conflict_ignore_columns); they prevent nothing',
    ),
    failure: orNull(
      noun(failureShape, 'What production refuses; 57014 if it was not done in time'),
    ),
    wouldLand: orNull(
      list(noun(landingShape), "Net changes of the session's own; null if it is not ok"),
    ),
    differs: otherwise(
      orNull(
        list(noun(differingShape), "The session's own rows that would become other than staged"),
      ),
      [],
    ),
    differences: orNull(noun(differencesShape)),
    sideEffects: orNull(
      list(noun(sideEffectsShape), 'Other rows that would change, by triggers of production'),
    ),
    warnings: list(
      text(),
      'Effects that the rollback did not undo, and checks that could not be made',
    ),
  },
  'Rehearsal',
);

/** A rehearsal as the service knows it; `rehearsalShape` is the form that is sent. */
export interface Rehearsal {
  /** Digest of the rehearsed steps, as `approve` accepts it. */
  readonly digest: string;
  /** The conflicts; ignored ones come last. */
  readonly conflicts: readonly Conflict[];
  readonly failure: Failure | null;
  /** Null, like `differs` and `sideEffects`, if a conflict or a failure prevents a result. */
  readonly wouldLand: readonly LandingCounts[] | null;
  readonly differs: readonly Differing[] | null;
  readonly sideEffects: readonly SideEffects[] | null;
  /** Values that triggers would set other than while staging, as `stage.trigger_differences` returns them; null without any. */
  readonly triggerDifferences: JsonText | null;
  /** Whether these would stop an approval. */
  readonly isStopped: boolean;
  readonly warnings: readonly string[];
}

/** Reads the response to a rehearsal. */
import type { Change, Conflict, NetCounts } from '../model/change.ts';
import type { JsonText } from '../model/json.ts';
import type { DifferingRow } from '../model/rehearsal.ts';
import { readChange, readConflicts } from './decode.ts';
import type { Differences } from './differences.ts';
import { readDifferences } from './differences.ts';
import { Fields } from './fields.ts';

export interface RehearsalReport {
  /** Whether approval would find no conflict, no refusal, and no difference that stops it. */
  readonly ok: boolean;
  /** The digest of the rehearsed steps, as `approve` takes it. */
  readonly digest: string;
  readonly conflicts: readonly Conflict[];
  /** Conflicts in ignored columns. */
  readonly ignored: readonly Conflict[];
  readonly failure: {
    readonly sqlstate: string;
    readonly message: string | null;
    readonly detail: string | null;
    readonly table: string | null;
    readonly constraint: string | null;
    readonly row: JsonText | null;
  } | null;
  /** Null if nothing would be applied. */
  readonly wouldLand: readonly TableCounts[] | null;
  readonly differs: readonly {
    readonly table: string;
    readonly count: number;
    readonly rows: readonly DifferingRow[];
  }[];
  /** Null if triggers set what they set while staging. */
  readonly differences: Differences | null;
  /** Null if side effects were not examined. */
  readonly sideEffects:
    | readonly (TableCounts & {
        readonly scanned: boolean;
        readonly changes: readonly Change[];
      })[]
    | null;
  readonly warnings: readonly string[];
}

/** The counts of a table. They are zero, and `isCounted` is false, if the response has null. */
export type TableCounts = NetCounts & { readonly table: string; readonly isCounted: boolean };

export function readRehearsal(json: JsonText): RehearsalReport {
  const fields = new Fields(json);
  const conflicts = readConflicts(fields);
  return {
    ok: fields.json('ok')?.text === 'true',
    digest: fields.required('digest'),
    conflicts: conflicts.filter(({ ignored }) => !ignored),
    ignored: conflicts.filter(({ ignored }) => ignored),
    failure: readFailure(fields.object('failure')),
    wouldLand: fields.json('would_land') && fields.list('would_land').map(readCounts),
    differs: fields.list('differs').map(readDiffering),
    differences: readDifferences(fields),
    sideEffects: fields.json('side_effects') && fields.list('side_effects').map(readEffects),
    warnings: fields.list('warnings').map(({ text }) => JSON.parse(text) as string),
  };
}

function readFailure(fields: Fields | null): RehearsalReport['failure'] {
  return (
    fields && {
      sqlstate: fields.required('sqlstate'),
      message: fields.text('message'),
      detail: fields.text('detail'),
      table: fields.text('table'),
      constraint: fields.text('constraint'),
      row: fields.json('row'),
    }
  );
}

function readCounts(json: JsonText): TableCounts {
  const fields = new Fields(json);
  return {
    table: fields.required('table'),
    inserts: fields.number('inserts'),
    updates: fields.number('updates'),
    deletes: fields.number('deletes'),
    isCounted: fields.json('inserts') !== null,
  };
}

function readEffects(json: JsonText) {
  const fields = new Fields(json);
  const counts = readCounts(json);
  return {
    ...counts,
    scanned: fields.json('scanned')?.text === 'true',
    changes: fields.list('changes').map((change) => readChange(counts.table, change)),
  };
}

function readDiffering(json: JsonText) {
  const fields = new Fields(json);
  const rows = fields.list('rows').map((row) => {
    const each = new Fields(row);
    const rowId = each.json('row_id');
    return { rowId: rowId ?? row, staged: each.json('staged'), lands: each.json('lands') };
  });
  return { table: fields.required('table'), count: fields.number('count'), rows };
}

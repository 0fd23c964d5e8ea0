/** Facts about the changed rows of one table, column by column: from all of them, or from a sample. */

import type { Queryable } from '../../db/database.ts';
import { qualifiedName, quoteIdentifier } from '../../identifier.ts';
import type { Flag } from '../../model/brief.ts';
import type { NetCounts } from '../../model/change.ts';
import { changesIn } from '../../model/change.ts';
import { JsonText } from '../../model/json.ts';
import type { DiffTable } from '../diff/diff-tables.ts';
import { findBeyond } from './beyond.ts';
import type { BriefShape, Sample } from './sample.ts';
import { Found, mostSearched, openSample, rowsUpTo } from './sample.ts';

export interface ColumnFacts {
  readonly sampled: number | null;
  readonly facts: readonly JsonText[];
  readonly flags: readonly Flag[];
  /** Number of updates that changed each column. */
  readonly changed: ReadonlyMap<string, number>;
}

/** Describes the net changes of a table that is not hidden. */
export async function columnFacts(
  tx: Queryable,
  table: DiffTable,
  shape: BriefShape,
  counts: NetCounts,
): Promise<ColumnFacts> {
  const sample = await openSample(tx, table, changesIn(counts), shape.columns.length);
  const found = new Found(table.name);
  if (counts.updates > 0) await findChanges(sample, shape, found);
  if (counts.inserts > 1) await findDuplicates(sample, shape, found);
  if (counts.inserts + counts.updates > 0) {
    const among = { found, hasInserts: counts.inserts > 0 };
    await findNewValues(tx, sample, shape, among);
    await findBeyond(tx, sample, shape, among);
  }
  const { facts, flags, changed } = found;
  return { sampled: sample.sampled, facts, flags, changed };
}

async function findChanges(sample: Sample, { columns }: BriefShape, found: Found): Promise<void> {
  const keys = new Set(columns.filter(({ isKey }) => isKey).map(({ name }) => name));
  const measured = columns.map(({ name, unit }) => ({ name, unit }));
  for (const row of await sample.query('columns', JSON.stringify(measured))) {
    const [column, rows] = [String(row['column']), Number(row['rows'])];
    found.facts.push(new JsonText(String(row['fact'])));
    found.changed.set(column, rows);
    found.flag('beyond_rule', column, Number(row['outliers']));
    if (keys.has(column)) found.flag('keys_moved', column, rows);
  }
}

/** Finds inserted rows that are equal in all columns that a client sets, except the key. */
async function findDuplicates(
  sample: Sample,
  { columns }: BriefShape,
  found: Found,
): Promise<void> {
  const given = columns.filter(({ isKey, isGiven }) => isGiven && !isKey).map(({ name }) => name);
  // one column proves too little: many rows may have the state `open`, for example
  if (given.length < 2) return;
  const [row] = await sample.query('duplicates', JSON.stringify(given));
  const rows = Number(row?.['rows']);
  if (rows === 0) return;
  found.add({ kind: 'duplicates', rows, columns: given });
  found.flag('duplicates', null, rows);
}

async function findNewValues(
  tx: Queryable,
  sample: Sample,
  shape: BriefShape,
  { found, hasInserts }: { readonly found: Found; readonly hasInserts: boolean },
): Promise<void> {
  const set = shape.columns.filter(
    ({ name, isPlain, isKey }) => isPlain && !isKey && (hasInserts || found.changed.has(name)),
  );
  if (set.length === 0 || (await rowsUpTo(tx, shape, mostSearched + 1)) > mostSearched) return;
  const production = qualifiedName(shape.schema, shape.name);
  for (const { name } of set) {
    const [row] = await sample.query('new_values', name, {
      production,
      column: quoteIdentifier(name),
    });
    if (row === undefined) continue;
    const values = new JsonText(String(row['values']));
    found.add({ kind: 'new_values', column: name, rows: Number(row['rows']), values });
    found.flag('new_values', name, Number(row['rows']));
  }
}

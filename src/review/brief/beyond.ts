/** Finds numbers and times that are greater or less than those of every row of production. */
import type { Queryable, Row } from '../../db/database.ts';
import { qualifiedName, quoteIdentifier } from '../../identifier.ts';
import type { JsonObject } from '../../model/json.ts';
import { JsonText } from '../../model/json.ts';
import type { BriefColumn, BriefShape, Found, Sample } from './sample.ts';
import { mostSearched, rowsUpTo } from './sample.ts';

/**
 * Finds the columns with values beyond all values of production.
 * @param hasInserts whether rows are inserted: otherwise only columns that updates changed are searched
 */
export async function findBeyond(
  tx: Queryable,
  sample: Sample,
  shape: BriefShape,
  { found, hasInserts }: { readonly found: Found; readonly hasInserts: boolean },
): Promise<void> {
  let isSmall: boolean | null = null;
  for (const column of shape.columns) {
    if (column.ordered === null || !(hasInserts || found.changed.has(column.name))) continue;
    if (!column.hasIndex) {
      isSmall ??= (await rowsUpTo(tx, shape, mostSearched + 1)) <= mostSearched;
      // reading a large table for its greatest value takes too long
      if (!isSmall) continue;
    }
    const [row] = await sample.query('beyond', column.name, partsOf(shape, column));
    if (row === undefined) continue;
    found.add(factOf(column.name, row));
    found.flag('beyond_production', column.name, Number(row['above']) + Number(row['below']));
  }
}

function partsOf({ schema, name }: BriefShape, { name: column, ordered, hasIndex }: BriefColumn) {
  const type = String(ordered);
  const production = qualifiedName(schema, name);
  const value = `t.${quoteIdentifier(column)}`;
  const isTime = type.startsWith('timestamp') || type === 'date';
  const most = `max(${value})`;
  // times up to now are nothing unusual, in any time zone
  const later = `greatest(${most}, (now() + interval '1 day')::pg_catalog.${type})`;
  // without an index, the search ends at the first row that has such a value
  const exists = (comparison: string) =>
    hasIndex ? 'false' : `EXISTS (SELECT FROM ${production} t WHERE ${value} ${comparison})`;
  return {
    ...{ type, production },
    most: isTime ? `CASE WHEN ${most} IS NOT NULL THEN ${later} END` : most,
    least: `min(${value})`,
    has_greater: exists('>= (SELECT o.high FROM outermost o)'),
    has_less: exists('<= (SELECT o.low FROM outermost o)'),
  };
}

function factOf(column: string, row: Row): JsonObject {
  const [above, below] = [Number(row['above']), Number(row['below'])];
  return {
    ...{ kind: 'beyond_production', column, rows: above + below },
    ...(above > 0 ? { above, highest: new JsonText(String(row['highest'])) } : {}),
    ...(below > 0 ? { below, lowest: new JsonText(String(row['lowest'])) } : {}),
  };
}

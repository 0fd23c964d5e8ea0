/** The secondary indexes of a shadow table: for checks, for the diff, and for lookups as by production's indexes. */
import { createHash } from 'node:crypto';
import type { Queryable } from '../../db/database.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { Index, IndexElement, Table } from '../../model/table.ts';
import { columnList, keyNames, shadowName } from '../object-names.ts';
import { present } from '../row-identity.ts';
import { isMirrored } from '../uniques.ts';

const liveHeads = '_stage_head AND stage.is_live(_stage_op)';

/** Builds the indexes that each rebuild recreates, because constraints are added and dropped. */
export function shadowIndexesSql(table: Table): string[] {
  // version numbers are unique among all sessions: without the session column, the planner uses no other index in place of this one
  const lineage =
    `CREATE INDEX lineage_${table.oid} ON ${shadowName(table)} (_stage_root, _stage_seq) ` +
    'WHERE _stage_root IS NOT NULL';
  const { uniques, references } = plan(table);
  // the condition names no session (see tree-row.ts)
  const ancestors = table.ancestorKeys.map(
    (key, index) =>
      `CREATE INDEX ancestor_${table.oid}_${index} ON ${shadowName(table)} (${columnList(key)}) WHERE _stage_head`,
  );
  return [lineage, ...exclusionIndexes(table), ...uniques, ...references, ...ancestors];
}

/**
 * Creates the missing indexes for lookups: production may have added some since. It does not wait for rows that others stage. A row that
 * does not fit into an index does not block staging: that index is tried again the next time.
 */
export async function addLookupIndexes(tx: Queryable, table: Table): Promise<void> {
  const { lookups } = plan(table);
  const found = await tx.query(
    'SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = to_regclass($1)',
    [shadowName(table)],
  );
  const names = new Set(found.map(({ name }) => name));
  for (const [name, definition] of lookups) {
    if (names.has(name)) continue;
    await tx.query(
      fillSql(loadSql('table/install/lookup_index.sql'), {
        shadow: shadowName(table),
        name,
        definition,
      }),
    );
  }
}

/** The maximum number of indexes for lookups, because each slows down staged writes. Those with the most columns come first. */
const maxLookups = 16;

interface IndexPlan {
  readonly uniques: readonly string[];
  readonly references: readonly string[];
  /** Definitions by name. */
  readonly lookups: ReadonlyMap<string, string>;
}

/** Plans the indexes that begin with the session. Those that the checks need come first. */
function plan(table: Table): IndexPlan {
  const earlier: Index[] = [indexOf(keyNames(table).map(columnElement))];
  const uniques = table.uniques
    .filter((unique) => isMirrored(table, unique))
    .map((unique) => {
      const index = indexOf(
        unique.elements.map((element) => ({ ...element, order: '' })),
        unique.predicate,
      );
      const nulls = unique.nullsNotDistinct ? ' NULLS NOT DISTINCT' : '';
      // nulls that are not distinct have to be found, too
      const marks = unique.nullsNotDistinct ? [] : marksOf(index, earlier);
      earlier.push(index);
      return `CREATE UNIQUE INDEX unique_${unique.oid} ${definitionOf(table, index, marks, nulls)}`;
    });
  // foreign keys of single partitions may all have the same columns
  const referring = new Map(
    table.references.map(({ child: { columns } }) => [JSON.stringify(columns), columns]),
  );
  const references = [...referring.values()].map((columns, position) => {
    const index = indexOf(columns.map(columnElement));
    const marks = marksOf(index, earlier);
    earlier.push(index);
    return `CREATE INDEX reference_${table.oid}_${position} ${definitionOf(table, index, marks)}`;
  });
  const lookups = new Map<string, string>();
  // a longer index also serves lookups by its prefix
  const longest = [...table.indexes].sort(
    (one, other) => other.elements.length - one.elements.length,
  );
  for (const index of longest) {
    if (lookups.size === maxLookups || earlier.some((other) => covers(other, index))) continue;
    const definition = definitionOf(table, index, marksOf(index, earlier));
    earlier.push(index);
    const digest = createHash('md5').update(definition).digest('hex').slice(0, 16);
    // named by the definition: REINDEX CONCURRENTLY gives an index another OID
    lookups.set(`lookup_${table.oid}_${digest}`, definition);
  }
  return { uniques, references, lookups };
}

const indexOf = (elements: readonly IndexElement[], predicate: string | null = null): Index => ({
  elements,
  predicate,
});

const columnElement = (column: string): IndexElement => ({ column, definition: '', order: '' });

const textOf = ({ column, definition }: IndexElement) =>
  column === null ? definition : quoteIdentifier(column);

/**
 * Returns conditions that keep an index from queries that another one serves. While a shadow table is small, as it is when the first
 * statement of many rows is planned, all its indexes cost the same to the planner. With the wrong index, each row would scan all rows that
 * are staged before it. So an index serves only queries with a condition on a column that distinguishes it from the other indexes.
 */
function marksOf({ elements }: Index, others: readonly Index[]): string[] {
  // a partial index serves only some of the queries
  const whole = others.filter(({ predicate }) => predicate === null);
  const shared = Math.max(...whole.map((other) => sharedLength(elements, other.elements)));
  return elements.slice(0, shared + 1).map((element) => present(textOf(element)));
}

function sharedLength(one: readonly IndexElement[], other: readonly IndexElement[]): number {
  const end = one.findIndex((element, position) => !isSame(element, other[position]));
  return end < 0 ? one.length : end;
}

const isSame = (one: IndexElement, other: IndexElement | undefined) =>
  other !== undefined && textOf(one) === textOf(other);

/** Checks whether one index serves every lookup of the other. */
const covers = (one: Index, other: Index) =>
  (one.predicate === null || one.predicate === other.predicate) &&
  other.elements.every(
    (element, position) =>
      isSame(element, one.elements[position]) && element.order === one.elements[position]?.order,
  );

function definitionOf(
  table: Table,
  { elements, predicate }: Index,
  marks: readonly string[],
  nulls = '',
): string {
  const list = elements.map((element) => textOf(element) + element.order).join(', ');
  const conditions = [liveHeads, ...marks, ...(predicate === null ? [] : [`(${predicate})`])];
  return `ON ${shadowName(table)} (_stage_session, ${list})${nulls} WHERE ${conditions.join(' AND ')}`;
}

function exclusionIndexes(table: Table): string[] {
  return table.uniques
    .filter(({ kind, timing }) => kind === 'exclusion' && timing === 'immediate')
    .map(({ oid, indexDefinition, predicate }) => {
      const method = indexDefinition.slice(indexDefinition.indexOf(' USING '));
      const filter = predicate === null ? ' WHERE _stage_head' : ' AND _stage_head';
      return `CREATE INDEX exclusion_${oid} ON ${shadowName(table)}${method}${filter}`;
    });
}

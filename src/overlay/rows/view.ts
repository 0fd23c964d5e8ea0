/** The overlay view with its production source and the defaults of its columns. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { Column, Table } from '../../model/table.ts';
import { usesOf } from '../../sql/functions/body-uses.ts';
import { lastNumberCalls } from '../../sql/functions/last-numbers.ts';
import { spliceBytes } from '../../sql/splice.ts';
import {
  columnList,
  columnNames,
  functionName,
  isKeyless,
  keyMatches,
  overlayName,
  productionRows,
  rowTypeName,
  shadowName,
  sourceCall,
} from '../object-names.ts';
import { hidesRow } from './keyless.ts';
import type { NamedPartition } from './named-partition.ts';
import { stagedRowIsWithin } from './named-partition.ts';
import {
  overlayOptions,
  ownRowIsVisible,
  ownSession,
  policyFunctionsSql,
  stagedRowIsVisible,
} from './policies.ts';

/**
 * Builds the source function and the overlay view.
 * @param partition the partition of the table that the view stands for, if any: the view shows only its rows
 */
export function overlaySql(table: Table, partition: NamedPartition | null = null): string {
  const named = partition?.table ?? table;
  const isVisible = stagedRowIsWithin(table, partition) + stagedRowIsVisible(named, table);
  const overlay = viewSql(table, named, isVisible, noRoots);
  return [...policyFunctionsSql(named, table), overlay].join(';\n');
}

/** Builds the same view where the table's policies read other tables. Their functions must exist. */
export const ownRowsViewSql = (table: Table) =>
  viewSql(table, table, ownRowIsVisible(table), {
    p_root: ', NULL::bigint AS _stage_root',
    s_root: ', coalesce(s._stage_root, s._stage_seq)',
  });

/** The parts of a view that needs no versions of rows. */
const noRoots = { p_root: '', s_root: '' };

function viewSql(table: Table, named: Table, isVisible: string, roots: typeof noRoots): string {
  const columns = columnNames(table);
  return fillSql(loadSql('table/rows/overlay.sql'), {
    ...roots,
    source: sourceCall(named),
    row_type: rowTypeName(table),
    production: productionRows(named),
    overlay: overlayName(named),
    shadow: shadowName(table),
    columns: table.columns.map(sourceColumn).join(', '),
    u_columns: columnList(columnNames(named), 'u.'),
    p_columns: columnList(columns, 'p.'),
    s_columns: columnList(columns, 's.'),
    h_hides_u: isKeyless(table) ? hidesRow(table, 'u.') : keyMatches(table, 'h.', 'u.'),
    view_options: overlayOptions(named),
    own_session: ownSession(named),
    u_is_visible: isVisible,
  });
}

/** Builds the expression that converts a column of production to the row type's column. */
export function sourceColumn({ name, domain, baseType }: Column): string {
  const column = quoteIdentifier(name);
  return domain === null ? column : `${column}::${baseType} AS ${column}`;
}

/** A relation whose columns have defaults: a table or a view. */
type Defaulting = Pick<Table, 'oid' | 'namespaceOid' | 'schema' | 'name' | 'columns'>;

/** Returns the columns whose default PostgreSQL applies when a view has it, with the calls that compute the values. */
function defaultColumns(table: Defaulting): DefaultCall[] {
  // the row trigger fills an ALWAYS identity, because it must distinguish a given value from an omitted one
  const always = new Set(
    table.columns.filter(({ identity }) => identity === 'always').map(({ name }) => name),
  );
  return defaultCalls(table).filter(({ name }) => !always.has(name));
}

interface DefaultCall {
  readonly name: string;
  readonly call: string;
}

/** Returns every column that has a default, with the call that computes its value. */
export function defaultCalls(table: Defaulting): DefaultCall[] {
  return table.columns.flatMap((column, index) =>
    defaultBody(column) === null
      ? []
      : [{ name: column.name, call: `${functionName(table, 'default', index + 1)}()` }],
  );
}

/** Builds one function per column default, and sets them as defaults of the views' columns. */
export function defaultsSql(table: Defaulting, views: readonly string[]): string[] {
  const functions = table.columns.flatMap((column, index) => {
    const body = defaultBody(column);
    const name = functionName(table, 'default', index + 1);
    return body === null ? [] : [`CREATE FUNCTION ${name}() RETURNS ${column.baseType} ${body}`];
  });
  return [...functions, ...views.flatMap((view) => viewDefaultsSql(table, view))];
}

/** Sets defaults, whose functions exist, on the columns of another view or table, but not on its partitions. */
export const viewDefaultsSql = (table: Defaulting, relation: string) =>
  defaultColumns(table).map(
    ({ name, call }) =>
      `ALTER TABLE ONLY ${relation} ALTER COLUMN ${quoteIdentifier(name)} SET DEFAULT ${call}`,
  );

/**
 * Builds the function of a column default. A key from a sequence is drawn from production's own sequence, so that the value returned to a
 * client stays valid; the client's role needs no privilege on it. Other defaults are evaluated with the client's rights, as in PostgreSQL.
 * String bodies create no dependencies.
 */
function defaultBody(column: Column): string | null {
  if (column.sequence !== null) {
    const sequence = quoteLiteral(column.sequence);
    // what stage.nextval() does, without the cost of its call
    const draw = `DECLARE v_number bigint := nextval(${sequence});
  v_noted bigint := setval('stage.last_sequence', int8(${sequence}::regclass::oid));
BEGIN RETURN v_number; END`;
    return `LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS ${quoteLiteral(draw)}`;
  }
  if (column.default === null) return null;
  return `LANGUAGE sql VOLATILE AS ${quoteLiteral(withOwnNumbers(`SELECT ${column.default}`))}`;
}

/** Returns a query in which stage.nextval() stands for nextval(). */
function withOwnNumbers(query: string): string {
  const text = Buffer.from(query);
  return spliceBytes(text, lastNumberCalls(usesOf(text, 'reads', true)?.called ?? [])).toString();
}

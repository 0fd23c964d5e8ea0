/** Writable views over the overlays of the tables behind them. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { qualifiedName, quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { Column, Table } from '../../model/table.ts';
import type { ViewQuery } from '../../sql/locate/view-query.ts';
import { overRow } from '../../sql/locate/view-query.ts';
import { columnList, functionName, overlayName, upsertName } from '../object-names.ts';
import { defaultsSql } from '../rows/view.ts';

/** The target of writes to a relation in the definition of a view. */
export interface Target {
  /** OID of the underlying table. */
  readonly table: number;
  /** Columns of that table, by their names in the relation. */
  readonly columns: Readonly<Record<string, string>>;
  /** OID of the role whose rights on the table apply; null for the role that writes. */
  readonly role: number | null;
  /** The type of the relation's rows, and its columns. */
  readonly rowType: string;
  readonly columnNames: readonly string[];
  /** The views that replace it: for ON CONFLICT, and for changes of the colliding row. */
  readonly upsert: string;
  readonly conflict: string;
  /** Returns the row of the table for a row of the conflict view. */
  readonly rowOf: (alias: string) => string;
  /** A query that converts `$1`, a row of the table, to a row of the relation. */
  readonly ofRow: string;
}

interface View extends Pick<Table, 'oid' | 'namespaceOid' | 'schema' | 'name'> {
  readonly columns: readonly Column[];
  readonly isInvoker: boolean;
  readonly checkOption: 'local' | 'cascaded' | null;
  readonly owner: number;
}

/** Returns a table as a target. */
export function tableTarget(table: Table): Target {
  const columnNames = table.columns.map(({ name }) => name);
  const rowType = overlayName(table);
  return {
    table: table.oid,
    columns: Object.fromEntries(columnNames.map((name) => [name, name])),
    role: null,
    rowType,
    columnNames,
    upsert: upsertName(table),
    conflict: rowType,
    rowOf: (alias) => `ROW(${columnList(columnNames, `${quoteIdentifier(alias)}.`)})::${rowType}`,
    ofRow: 'SELECT ($1).*',
  };
}

/**
 * Returns the name of the view through which a colliding row is updated: it contains all rows of the table. Its schema contains no tables'
 * names.
 */
const conflictName = ({ oid }: Pick<View, 'oid'>) => qualifiedName('stage', `conflict_${oid}`);

/** A view as a target, with the script that creates its replacement. */
export interface ViewTarget {
  readonly target: Target;
  readonly script: string;
}

/**
 * Builds a target for a view over another target.
 * @param query its definition, with the overlay's name in place of the relation's
 */
export function viewTarget(view: View, query: ViewQuery, below: Target): ViewTarget {
  const parts = viewParts(view, query, below);
  const columns = view.columns.flatMap(({ name }, index) => {
    const column = below.columns[parts.sources[index] ?? ''];
    return column === undefined ? [] : [[name, column] as const];
  });
  const values = parts.values.join(', ');
  const named = parts.values.map(
    (value, index) => `${value} AS ${quoteIdentifier(view.columns[index]?.name ?? '')}`,
  );
  const target: Target = {
    table: below.table,
    columns: Object.fromEntries(columns),
    role: view.isInvoker ? null : view.owner,
    rowType: overlayName(view),
    columnNames: view.columns.map(({ name }) => name),
    upsert: upsertName(view),
    conflict: conflictName(view),
    rowOf: (alias) => `${quoteIdentifier(alias)}._stage_row`,
    ofRow: `SELECT ${named.join(', ')} FROM (${below.ofRow}) ${parts.alias}`,
  };
  const script = fillSql(loadSql('table/views/view.sql'), {
    functions: parts.functions.join(';\n'),
    overlay: target.rowType,
    upsert: target.upsert,
    conflict: target.conflict,
    columns: columnList(target.columnNames),
    options: view.checkOption === null ? '' : `WITH (check_option = ${view.checkOption})`,
    values,
    source: `${below.rowType} ${parts.alias}`,
    upsert_source: `${below.upsert} ${parts.alias}`,
    conflict_source: `${below.conflict} ${parts.alias}`,
    row: below.rowOf(query.alias),
    condition: parts.condition,
    defaults: defaultsSql(view, [target.rowType, target.upsert]).join(';\n'),
  });
  return { target, script };
}

/** Builds expressions and condition as calls of functions of the relation's row. Columns stay as they are. */
function viewParts(view: View, query: ViewQuery, below: Target) {
  const alias = quoteIdentifier(query.alias);
  const exposed = below.columnNames.map((name, index) => query.aliasColumns[index] ?? name);
  const row = `ROW(${columnList(exposed, `${alias}.`)})::${below.rowType}`;
  const functions: string[] = [];
  const call = (name: string, type: string, expression: string) => {
    const body = quoteLiteral(overRow(expression, query, quoteIdentifier));
    functions.push(
      `CREATE FUNCTION ${name}(${below.rowType}) RETURNS ${type} LANGUAGE sql STABLE AS ${body}`,
    );
    return `${name}(${row})`;
  };
  const values = query.targets.map(({ expression, column }, index) => {
    if (column !== null) return `${alias}.${quoteIdentifier(column)}`;
    const { type = 'text', baseType = 'text' } = view.columns[index] ?? {};
    return `${call(functionName(view, 'value', index + 1), baseType, expression)}::${type}`;
  });
  const condition =
    query.where === null
      ? ''
      : `WHERE ${call(functionName(view, 'condition'), 'boolean', query.where)}`;
  return {
    values,
    condition,
    functions,
    alias: `AS ${alias} (${columnList(exposed)})`,
    /** The column of the relation for each of the view's columns; null for an expression. */
    sources: query.targets.map(
      ({ column }) => below.columnNames[exposed.indexOf(column ?? '')] ?? null,
    ),
  };
}

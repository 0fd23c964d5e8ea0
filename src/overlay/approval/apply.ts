/** The functions of a table that apply staged rows to production. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { Column, Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  isKeyless,
  oldColumnNames,
  oldColumns,
  productionName,
  productionRows,
  rowTypeName,
  shadowName,
} from '../object-names.ts';
import { rowBefore } from '../row-before.ts';
import {
  givenValue,
  keyColumns,
  keysEqual,
  oldKeyColumns,
  rowId,
  rowImage,
  rowKey,
  sameInColumn,
} from '../row-identity.ts';
import { foundSql } from '../rows/keyless.ts';
import { rowTriggers, waitsForColumns } from '../triggers/candidates.ts';
import { exactTexts } from './exact-texts.ts';

/** The parameters of the functions, by name, and by number for a text that they execute. */
const byName = ['p_session', 'p_first', 'p_last', 'p_mutation', 'p_operation', 'p_origin'] as const;
const byNumber = ['$1', '$2', '$3', '$4', '$5', '$6'] as const;

type Parameters = typeof byName | typeof byNumber;

const oneRow = ([session, first]: Parameters) =>
  `s._stage_session OPERATOR(pg_catalog.=) ${session} AND s._stage_seq OPERATOR(pg_catalog.=) ${first}`;

/** A run without an origin includes the client's own rows and those of actions. */
const manyRows = ([
  session,
  first,
  last,
  mutation,
  operation,
  origin,
]: Parameters) => `s._stage_session OPERATOR(pg_catalog.=) ${session}
        AND s._stage_seq OPERATOR(pg_catalog.>=) ${first} AND s._stage_seq OPERATOR(pg_catalog.<=) ${last}
        AND s._stage_mutation OPERATOR(pg_catalog.=) ${mutation} AND s._stage_op OPERATOR(pg_catalog.=) ${operation}
        AND (s._stage_origin OPERATOR(pg_catalog.=) ${origin}
          OR ${origin} IS NULL AND s._stage_origin OPERATOR(pg_catalog.<>) 'overlay'::stage.row_origin)`;

/** Builds `apply_<oid>_row`, `apply_<oid>_set` and the functions for foreign keys' actions that production runs itself. */
export function applySql(table: Table): string {
  return [
    ...(isKeyless(table) ? [foundSql(table, manyRows(byName))] : []),
    applyFunctionSql(table, 'row', oneRow),
    applyFunctionSql(table, 'set', manyRows),
    cascadedFunctionsSql(table),
  ].join('\n');
}

function applyFunctionSql(
  table: Table,
  suffix: 'row' | 'set',
  rows: (parameters: Parameters) => string,
): string {
  const written = table.columns
    .filter((column) => column.generated === null)
    .map((column) => column.name);
  const valuesFor = (parameters: Parameters) => ({
    function: functionName(table, 'apply', suffix),
    oid: String(table.oid),
    table: productionName(table),
    production: productionRows(table),
    shadow: shadowName(table),
    rows: rows(parameters),
    row_image: rowImage(table),
    p_texts: exactTexts(table, 'p.'),
    o_texts: exactTexts(table, 'o.'),
    settled: isKeyless(table) ? 'true' : suffix === 'row' ? 'false' : settled(table),
    made: madeImage(table),
    ...drawnValues(table),
    insert_columns: columnList(written),
    insert_values: insertValues(table, written),
    ...(isKeyless(table) ? foundRows(table, parameters) : keyedRows(table)),
  });
  const values = valuesFor(byName);
  const updates = waitsForColumns(table)
    ? updatesOf(table, values, valuesFor(byNumber))
    : updatesOfAll(table, values);
  return fillSql(loadSql('table/approval/apply.sql'), { ...values, updates });
}

type Values = Readonly<Record<string, string>>;

function updatesOfAll(table: Table, values: Values): string {
  const assignments = assignmentsOf(table.columns)
    .map(({ assignment }) => assignment)
    .join(',\n          ');
  const update = fillSql(loadSql('table/approval/apply_update.sql'), { ...values, assignments });
  return fillSql(loadSql('table/approval/apply_updates.sql'), { ...values, update });
}

/**
 * Builds the updates of a table with triggers that fire for updates of certain columns.
 * @param numbered the values for the text that is executed
 */
function updatesOf(table: Table, values: Values, numbered: Values): string {
  const update = (assignments: string) =>
    fillSql(loadSql('table/approval/apply_update.sql'), { ...numbered, assignments });
  const [before = '', after = ''] = update('{{assignments}}').split('{{assignments}}');
  const settable = assignmentsOf(table.columns);
  const changed = table.columns.map((column) => {
    const name = quoteIdentifier(column.name);
    return `CASE WHEN NOT ${sameInColumn(column, given(name), `b.${name}`)} THEN ${quoteLiteral(column.name)} END`;
  });
  return fillSql(loadSql('table/approval/apply_updates_of.sql'), {
    ...values,
    row_before: rowBefore(table),
    changed: changed.join(', '),
    all: `ARRAY[${columnNames(table).map(quoteLiteral).join(', ')}]`,
    settable: settable
      .map(({ name, assignment }) => `(${quoteLiteral(name)}, ${quoteLiteral(assignment)})`)
      .join(', '),
    before: quoteLiteral(before),
    after: quoteLiteral(after),
  });
}

/** Returns the fragments that match staged rows to production's by their key. */
function keyedRows(table: Table) {
  const key = keyColumns(table, 'p.');
  const old = keyColumns(table, 'o.');
  const staged = oldKeyColumns(table, 's.');
  return {
    staged: `${shadowName(table)} s`,
    p_key: key.map((column, index) => `${column} AS key_${index + 1}`).join(', '),
    p_matches_row: keysEqual(
      table,
      key,
      key.map((_, index) => `v_row.key_${index + 1}`),
    ),
    p_matches_o: keysEqual(table, key, old),
    p_matches_old: keysEqual(table, key, staged),
    o_matches_old: keysEqual(table, old, staged),
    p_row_id: rowId(table, key),
    p_row_key: rowKey(table, key),
    o_row_id: rowId(table, old),
    o_row_key: rowKey(table, old),
  };
}

/** Returns the same fragments for a table without a key: `found_<oid>` pairs the rows. */
function foundRows(table: Table, parameters: Parameters) {
  const call = `${functionName(table, 'found')}(${parameters.join(', ')})`;
  const isAt = (row: string, other: string) =>
    `${row}.ctid OPERATOR(pg_catalog.=) ${other} AND ${row}.tableoid OPERATOR(pg_catalog.=) `;
  const image = keyColumns(table, 'p.');
  const staged = oldKeyColumns(table, 's.');
  return {
    staged: `${shadowName(table)} s JOIN ${call} f ON f.seq OPERATOR(pg_catalog.=) s._stage_seq`,
    p_key: 'p.ctid AS place, p.tableoid AS relation',
    p_matches_row: `${isAt('p', 'v_row.place')}v_row.relation`,
    p_matches_o: `${isAt('p', 'o.ctid')}o.tableoid`,
    p_matches_old: `${isAt('p', 'f.place')}f.relation`,
    o_matches_old: `${isAt('o', 'f.place')}f.relation`,
    p_row_id: rowId(table, image),
    p_row_key: rowKey(table, image),
    o_row_id: rowId(table, staged),
    o_row_key: rowKey(table, staged),
  };
}

/**
 * Builds the condition that nothing in production alters a row after the statement that wrote it. For one row the check costs more than it
 * saves.
 */
function settled(table: Table): string {
  const refersToItself = table.references.some(({ parent }) => parent.oid === table.oid);
  if (table.kind === 'partitioned' || refersToItself) return 'false';
  return `NOT EXISTS (
    -- guard: code that applies rows names the schemas of operators
    SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid OPERATOR(pg_catalog.=) ${table.oid}::pg_catalog.oid AND NOT t.tgisinternal
      AND t.tgtype::int OPERATOR(pg_catalog.&) 2 OPERATOR(pg_catalog.=) 0)`;
}

/** Builds the value that production gets for a column of a staged row `s`. Production's triggers change it again. */
const given = (column: string) => givenValue('s', column);

/** Builds the image of a staged row `s` that triggers changed; NULL for other rows. */
const madeImage = (table: Table) =>
  `CASE WHEN s._stage_given IS DISTINCT FROM NULL THEN ${rowImage(table)}(ROW(${columnList(columnNames(table), 's.')})::${rowTypeName(table)}) END`;

/**
 * Builds the values of inserted rows. A key that the client left to triggers keeps its staged value, as other rows refer to it: it is handed
 * on, unless production's triggers draw it again.
 */
function insertValues(table: Table, written: readonly string[]): string {
  const found = new Set(oldColumns(table));
  const isDrawn = drawsKeys(table) ? ` OR ${drawnAgain(table)}` : '';
  return written
    .map((name) => {
      const column = quoteIdentifier(name);
      const value = given(column);
      if (!found.has(name)) return value;
      return `CASE WHEN ${value} IS DISTINCT FROM NULL${isDrawn} THEN ${value} ELSE s.${column} END`;
    })
    .join(', ');
}

/** Returns whether triggers may draw the keys of inserted rows. */
const drawsKeys = (table: Table) => !isKeyless(table) && rowTriggers(table, 'insert').length > 0;

/** Builds the condition that production's triggers draw the key of a staged row `s` again. */
const drawnAgain = (table: Table) =>
  `s._stage_given IS DISTINCT FROM NULL AND stage.draws_again(s._stage_session, ${table.oid}::pg_catalog.oid, coalesce(s._stage_root, s._stage_seq))`;

/**
 * Builds the values of a staged row `s` by which others find it, where production's triggers have to draw one of them again, and the same of
 * production's row `p`, as texts; NULL if they draw none.
 */
function drawnValues(table: Table): { readonly s_drawn: string; readonly p_drawn: string } {
  if (!drawsKeys(table))
    return { s_drawn: 'NULL::pg_catalog.text', p_drawn: 'NULL::pg_catalog.text' };
  const names = oldColumns(table);
  const text = (prefix: string) => `ROW(${columnList(names, prefix)})::pg_catalog.text`;
  const left = names.map((name) => `g.${quoteIdentifier(name)} IS NOT DISTINCT FROM NULL`);
  return {
    s_drawn: `CASE WHEN (${left.join(' OR ')}) AND ${drawnAgain(table)} THEN ${text('s.')} END`,
    p_drawn: text('p.'),
  };
}

/** Builds assignments that set a column to the staged value if the staged change altered it. Other columns keep production's value. */
function assignmentsOf(columns: readonly Column[]): { name: string; assignment: string }[] {
  const settable = columns.filter(
    (column) => column.generated === null && column.identity !== 'always',
  );
  if (settable.length === 0) {
    // no update of such a table can be staged, but the function has to parse
    return columns.map(({ name }) => ({ name, assignment: `${quoteIdentifier(name)} = DEFAULT` }));
  }
  return settable.map((column) => {
    const name = quoteIdentifier(column.name);
    const isUnchanged = sameInColumn(column, given(name), `b.${name}`);
    const assignment = `${name} = CASE WHEN ${isUnchanged} THEN p.${name} ELSE ${given(name)} END`;
    return { name: column.name, assignment };
  });
}

function cascadedFunctionsSql(table: Table): string {
  const columns = columnNames(table);
  const key = keyColumns(table, 'p.');
  const staged = oldKeyColumns(table, 's.');
  const old = oldColumnNames(table);
  return fillSql(loadSql('table/approval/apply_cascaded.sql'), {
    prepare: functionName(table, 'prepare'),
    capture: functionName(table, 'capture'),
    cascaded: functionName(table, 'apply', 'cascaded'),
    gone: functionName(table, 'apply', 'gone'),
    production: productionRows(table),
    shadow: shadowName(table),
    row_type: rowTypeName(table),
    row_image: rowImage(table),
    base_texts: exactTexts(table, 'b.'),
    image_texts: exactTexts(table, 'i.'),
    rows: manyRows(byName),
    made: madeImage(table),
    x_columns: columnList(columns, 'x.'),
    set_old: old.map((name) => `${name} = a.${name}`).join(', '),
    first_old: old
      .map((name) => `first_value(x.${name}) OVER (w ORDER BY x._stage_seq) AS ${name}`)
      .join(', '),
    p_columns: columnList(columns, 'p.'),
    p_matches_old: keysEqual(table, key, staged),
    p_matches_new: keysEqual(table, key, keyColumns(table, 's.')),
    s_old_row_id: rowId(table, staged),
    s_old_row_key: rowKey(table, staged),
  });
}

/** The view that INSERT ... ON CONFLICT runs on, and the functions behind it. */
import { quoteIdentifier, quoteLiteral } from '../../db/identifier.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  keyMatches,
  overlayName,
  shadowName,
  upsertName,
  upsertSchema,
} from './names.ts';
import { prepareRow, rowChecks } from './row-checks.ts';
import { afterStatementSql } from './triggers.ts';
import { findCollision } from './uniques.ts';
import { defaultColumns } from './view.ts';

/** Creates the view, its functions and triggers; the overlay and its functions are there already. */
export function upsertSql(table: Table): string {
  const written = table.columns
    .filter((column) => column.generated === null)
    .map(({ name }) => name);
  const view = fillSql(loadSql('table/upsert.sql'), {
    upsert: upsertName(table),
    overlay: overlayName(table),
    overlay_literal: overlayName(table).replaceAll("'", "''"),
    collision: `${upsertSchema(table)}.collision_${table.oid}`,
    function: `${upsertSchema(table)}.upsert_${table.oid}`,
    after_function: functionName(table, 'after_upsert'),
    oid: table.oid,
    key: settingKey(table),
    shadow: shadowName(table),
    all_columns: columnList(columnNames(table)),
    columns: columnList(written),
    new_columns: columnList(written, 'v_new.'),
    prepare_row: prepareRow(table, 'insert'),
    row_checks: rowChecks(table),
    find_collision: findCollision(table),
    s_key_matches_v_row: keyMatches(table, 's.', 'v_row.'),
    key_matches: dynamicKeyMatches(table),
  });
  const defaults = defaultColumns(table).map(
    ({ name, call }) =>
      `ALTER VIEW ${upsertName(table)} ALTER COLUMN ${quoteIdentifier(name)} SET DEFAULT ${call}`,
  );
  // the rows are judged one by one as the overlay stages them
  const after = afterStatementSql(table, 'upsert', settingKey(table), `'I', 'U'`, '');
  return [after, view, ...defaults].join(';\n');
}

const settingKey = (table: Table) => `${table.oid}_x`;

/** An SQL expression for the condition that finds the row in the way, $2, under the statement's own alias. */
function dynamicKeyMatches(table: Table): string {
  return table.key
    .map(({ name, equals }) => {
      const column = quoteIdentifier(name);
      return `v_alias || ${quoteLiteral(`.${column} ${equals} ($2).${column}`)}`;
    })
    .join(` || ' AND ' || `);
}

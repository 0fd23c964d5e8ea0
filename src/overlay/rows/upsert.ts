/** The view that INSERT ... ON CONFLICT runs on, and the functions behind it. */
import { quoteIdentifier, quoteLiteral } from '../../db/identifier.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  equalImages,
  functionName,
  imageOf,
  isKeyless,
  keyMatches,
  overlayName,
  shadowName,
  upsertName,
  upsertSchema,
} from '../object-names.ts';
import { afterUpsertSql } from './after-statement.ts';
import { prepareRow, rowChecks } from './row-checks.ts';
import { awaitCollision } from './row-waits.ts';
import { domainsTriggerSql } from './triggers.ts';
import { findCollision } from './uniques.ts';
import { hungDefaultsSql } from './view.ts';

/** Creates the view, its functions and triggers; the overlay and its functions are there already. */
export function upsertSql(table: Table, server: number): string {
  if (table.policies !== null) {
    return fillSql(loadSql('table/rows/upsert_refused.sql'), {
      upsert: upsertName(table),
      overlay: overlayName(table),
      all_columns: columnList(columnNames(table)),
    });
  }
  const written = table.columns
    .filter((column) => column.generated === null)
    .map(({ name }) => name);
  // what the client's rights must reach stands in the schema of the view
  const own = (part: string) => `${upsertSchema(table)}.${part}_${table.oid}`;
  const view = fillSql(loadSql('table/rows/upsert.sql'), {
    upsert: upsertName(table),
    overlay: overlayName(table),
    overlay_literal: overlayName(table).replaceAll("'", "''"),
    collision: own('collision'),
    update: own('update'),
    analyse: own('analyse'),
    function: own('upsert'),
    after_function: functionName(table, 'after_upsert'),
    oid: table.oid,
    table_literal: quoteLiteral(table.name),
    key: settingKey(table),
    shadow: shadowName(table),
    all_columns: columnList(columnNames(table)),
    columns: columnList(written),
    new_columns: columnList(written, '_stage_v_new.'),
    prepare_row: prepareRow(table, 'insert'),
    row_checks: rowChecks(table),
    find_collision: findCollision(table),
    ...awaitCollision(table),
    s_key_matches_v_row: keyMatches(table, 's.', '_stage_v_row.'),
    key_matches: dynamicKeyMatches(table),
  });
  const defaults = hungDefaultsSql(table, upsertName(table));
  const after = afterUpsertSql(table, settingKey(table), server);
  return [after, view, ...defaults, ...domainsTriggerSql(table, 'insert', upsertName(table))].join(
    ';\n',
  );
}

const settingKey = (table: Table) => `${table.oid}_x`;

/** An SQL expression for the condition that finds the row in the way, $2, among those that `_stage_v_row` calls. */
function dynamicKeyMatches(table: Table): string {
  if (isKeyless(table)) {
    const [own, other] = ['{{alias}}.', '($2).'].map((prefix) => imageOf(table, prefix));
    const condition = quoteLiteral(equalImages(own ?? '', other ?? ''));
    return `pg_catalog.replace(${condition}, '{{alias}}', _stage_v_row)`;
  }
  return table.key
    .map(({ name, equals }) => {
      const column = quoteIdentifier(name);
      return `_stage_v_row OPERATOR(pg_catalog.||) ${quoteLiteral(`.${column} ${equals} ($2).${column}`)}`;
    })
    .join(` OPERATOR(pg_catalog.||) ' AND ' OPERATOR(pg_catalog.||) `);
}

/** The view that INSERT ... ON CONFLICT runs on, and its functions. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
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
import { awaitCollision } from '../row-waits.ts';
import { afterTriggersSql } from '../triggers/fire-after.ts';
import { firedRunsSql } from '../triggers/fire-runs.ts';
import { firstTriggerSql } from '../triggers/fire-statement.ts';
import { firingParts } from '../triggers/fire-upsert.ts';
import { findCollision } from '../uniques.ts';
import { afterUpsertSql, operations } from './after-statement.ts';
import { collidingRowParts } from './colliding-row.ts';
import type { NamedPartition } from './named-partition.ts';
import { partitionChecks } from './named-partition.ts';
import { policyTriggerSql } from './policies.ts';
import { prepareRow, rowChecks } from './row-checks.ts';
import { domainsTriggerSql } from './triggers.ts';
import { viewDefaultsSql } from './view.ts';

/** Builds the view, its functions and triggers. The overlay and its functions must exist. */
export function upsertSql(table: Table, server: number): string {
  const after = afterUpsertSql(table, settingKey(table), server);
  return `${after};\n${upsertViewSql(table, null)}`;
}

/** Builds the same for the view that stands for a partition. */
export const partitionUpsertSql = (table: Table, partition: NamedPartition): string[] => [
  upsertViewSql(table, partition),
  // the further triggers are on both views
  ...operations.flatMap((operation) => firedRunsSql(table, partition.table, operation, true)),
];

function upsertViewSql(table: Table, partition: NamedPartition | null): string {
  const named = partition?.table ?? table;
  const written = named.columns
    .filter((column) => column.generated === null)
    .map(({ name }) => name);
  // functions that the client's rights must reach are in the schema of the view
  const own = (part: string) => `${upsertSchema(named)}.${part}_${named.oid}`;
  const firing = firingParts(table, named, own('fired'), written);
  const { proposed = 'NEW' } = firing;
  const parts = {
    ...{ proposed, collision: own('collision'), search: own('search'), key: settingKey(table) },
    arbiters: partition === null ? givenArbiters : arbitersOf(partition),
  };
  const view = fillSql(loadSql('table/rows/upsert.sql'), {
    upsert: upsertName(named),
    overlay: overlayName(named),
    overlay_literal: overlayName(named).replaceAll("'", "''"),
    collision: parts.collision,
    update: own('update'),
    analyse: own('analyse'),
    function: own('upsert'),
    after_function: functionName(table, 'after_upsert'),
    oid: table.oid,
    named_oid: named.oid,
    table_literal: quoteLiteral(named.name),
    key: settingKey(table),
    ...statementParts(table, named),
    shadow: shadowName(table),
    all_columns: columnList(columnNames(named)),
    arbiters: parts.arbiters,
    columns: columnList(written),
    ...firing,
    prepare_row: prepareRow(named, 'insert', table),
    row_checks: rowChecks(named, partitionChecks(table, partition, 'insert')),
    find_collision: findCollision(table, columnNames(named), named.policies !== null),
    ...collidingRowParts(table, partition, parts),
    ...awaitCollision(table),
    s_key_matches_v_row: keyMatches(table, 's.', '_stage_v_row.'),
    key_matches: dynamicKeyMatches(table),
  });
  return [view, ...defaultsAndChecks(table, named, upsertName(named))].join(';\n');
}

const defaultsAndChecks = (table: Table, named: Table, view: string): string[] => [
  ...viewDefaultsSql(named, view),
  ...domainsTriggerSql(table, 'insert', view),
  ...policyTriggerSql(named, view),
];

const givenArbiters = `_stage_v_conflict OPERATOR(pg_catalog.->) 'arbiters'`;

/** Builds the triggers by which production's STATEMENT and AFTER triggers fire. */
function statementParts(table: Table, named: Table) {
  const place = { view: upsertName(named), operation: 'upsert', event: 'insert', when: '' };
  return {
    first_trigger: firstTriggerSql(table, named, place),
    after_triggers: afterTriggersSql(table, named, { ...place, key: settingKey(table) }),
  };
}

/** Builds an SQL expression for the arbiters, by the names of the topmost table's indexes. */
function arbitersOf({ indexes }: NamedPartition): string {
  const names = Object.entries(indexes).map(
    ([own, name]) => `(${quoteLiteral(own)}, ${quoteLiteral(name)})`,
  );
  if (names.length === 0) return 'NULL';
  return `(SELECT pg_catalog.jsonb_agg(i.name) FROM (VALUES ${names.join(', ')}) i (own, name)
    WHERE ${givenArbiters} OPERATOR(pg_catalog.?) i.own)`;
}

const settingKey = (table: Table) => `${table.oid}_x`;

/** Builds an SQL expression for the condition that finds the colliding row, $2, among the rows under the alias in `_stage_v_row`. */
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

/** Builds, rebuilds or confirms the overlay of one table, inside the caller's transaction. */
import { createHash } from 'node:crypto';
import { foreignKeyRank } from '../../db/catalog-reader.ts';
import type { Queryable } from '../../db/database.ts';
import type { Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import { applySql } from '../approval/apply.ts';
import { conflictsSql } from '../approval/conflicts.ts';
import { diffSql } from '../approval/diff.ts';
import { exactTextsSql } from '../approval/exact-texts.ts';
import { lineagesSql } from '../approval/lineages.ts';
import { rebaseSql } from '../approval/rebase.ts';
import { revertSql } from '../approval/revert.ts';
import { generationOn } from '../generation.ts';
import { oldColumns, overlayName } from '../object-names.ts';
import { rowFunctionsSql } from '../row-functions.ts';
import { operations } from '../rows/after-statement.ts';
import { setLoadSql } from '../rows/load.ts';
import { mergeSql } from '../rows/merge.ts';
import { rowLockSql } from '../rows/row-lock.ts';
import { triggersSql } from '../rows/triggers.ts';
import { upsertSql } from '../rows/upsert.ts';
import { defaultsSql, overlaySql } from '../rows/view.ts';
import { makeSchemas } from '../schemas.ts';
import { mayFire, mayFireAfter, mayFireFirst } from '../triggers/candidates.ts';
import { fireSql } from '../triggers/fire.ts';
import { fireAfterSql } from '../triggers/fire-after.ts';
import { firstSql } from '../triggers/fire-statement.ts';
import { carryOverSql, setAsideSql } from './carry-over.ts';
import type { ShadowColumn } from './column-changes.ts';
import { compareColumns, parkDuplicates, parkUnclear, shadowColumns } from './column-changes.ts';
import { shadowSql } from './shadow.ts';
import { addLookupIndexes, shadowIndexesSql } from './shadow-indexes.ts';
import { makeStamp } from './stamp.ts';

/**
 * Makes the overlay of a table current. Staged rows are carried over where their meaning is clear. Where it is not, the rows of the session
 * are orphaned, and its approval reports a conflict.
 * @param server major version of PostgreSQL
 */
export async function installOverlay(tx: Queryable, table: Table, server: number): Promise<void> {
  const installed = await readInstalled(tx, table.oid);
  if (installed?.signature === table.signature && !installed.isOutdated) {
    if (await storeStamps(tx, table)) await makeStamp(tx, table);
    await addLookupIndexes(tx, table);
    return;
  }
  const layout = layoutOf(table);
  const changes = installed && compareColumns(table, installed.columns, installed.isRewritten);
  const isCarried = changes !== null && installed?.layout !== layout;
  if (isCarried) await parkUnclear(tx, table, changes, installed?.key ?? []);
  await tx.query('SELECT stage.drop_stand_ins($1)', [table.oid]);
  if (isCarried) await tx.query(setAsideSql(table));
  if (installed?.layout !== layout) await tx.query(shadowSql(table));
  await makeSchemas(tx, table);
  await tx.query(viewScript(table));
  if (isCarried) await tx.query(carryOverSql(table, changes));
  await tx.query(triggerScript(table, server));
  // guard: a table that triggers may write to gets its own triggers before others stage in it
  if (installed?.layout !== layout)
    await tx.query('SELECT stage.keep_effects($1, true)', [table.oid]);
  if (installed !== null) await parkDuplicates(tx, table);
  await makeStamp(tx, table);
  await tx.query(shadowIndexesSql(table).join(';\n'));
  await addLookupIndexes(tx, table);
  await register(tx, table, layout, generationOn(server));
}

/**
 * Stores the stamps of a table whose definition is unchanged, so that statements find its overlay current. Returns whether they changed.
 */
async function storeStamps(tx: Queryable, table: Table): Promise<boolean> {
  const { oid, stamp, statementStamps } = table;
  // an unchanged row is not written, because each statement on the table reads it
  const changed = await tx.query(
    `UPDATE stage.overlay o SET stamp = n.stamp, partitions_stamp = n.partitions_stamp, dependents = n.dependents, storage = n.storage, definition_stamp = $2,
       policy_stamp = $6
     FROM (SELECT $3 AS stamp, $4 AS partitions_stamp, stage.dependent_columns($1::oid) AS dependents, $5::oid AS storage
           OFFSET 0 -- without it the planner calls the function, too, to estimate how many rows differ
          ) n
     WHERE o.relation = $1::oid AND (o.stamp, o.partitions_stamp, o.dependents, o.storage, o.definition_stamp)
       IS DISTINCT FROM (n.stamp, n.partitions_stamp, n.dependents, n.storage, $2)
     RETURNING o.relation`,
    [
      ...[oid, stamp, statementStamps.table, statementStamps.partitions, statementStamps.storage],
      policyStamp(table),
    ],
  );
  return changed.length > 0;
}

/** Returns the stamp of policies that are still to be followed. */
const policyStamp = ({ policies }: Table) => (policies === null ? null : 'new');

interface Installed {
  readonly signature: string | null;
  /** Whether another generation made it. */
  readonly isOutdated: boolean;
  readonly layout: string | null;
  readonly key: readonly string[];
  readonly columns: readonly ShadowColumn[];
  /** Whether all rows of the table may have been rewritten since. */
  readonly isRewritten: boolean;
}

async function readInstalled(tx: Queryable, relation: number): Promise<Installed | null> {
  const [row] = await tx.query(
    `SELECT signature, starts_with(stamp, 'outdated ') AS outdated, layout, to_json(key_columns) AS key, columns,
       storage IS DISTINCT FROM pg_relation_filenode(relation) OR storage IS NULL AS rewritten
     FROM stage.overlay WHERE relation = $1`,
    [relation],
  );
  if (row === undefined) return null;
  return {
    signature: row['signature'] ?? null,
    isOutdated: row['outdated'] === 't',
    layout: row['layout'] ?? null,
    key: JSON.parse(row['key'] ?? '[]') as string[],
    columns: JSON.parse(row['columns'] ?? '[]') as ShadowColumn[],
    isRewritten: row['rewritten'] === 't',
  };
}

/** Builds the view, with the functions that compute its values. */
function viewScript(table: Table): string {
  const defaults = defaultsSql(table, [overlayName(table)]);
  return [overlaySql(table), ...defaults, ...rowFunctionsSql(table)].join(';\n');
}

const noTriggers = { insert: [], update: [], delete: [], truncate: [] };

/** Builds everything that works on staged rows. */
function triggerScript(table: Table, server: number): string {
  return [
    ...operations.flatMap((each) => (mayFire(table, each) ? [fireSql(table, each, [])] : [])),
    ...(mayFireAfter(table) ? fireAfterSql(table, noTriggers) : []),
    ...(mayFireFirst(table) ? [firstSql(table, noTriggers)] : []),
    ...triggersSql(table, server),
    ...setLoadSql(table, server),
    upsertSql(table, server),
    ...mergeSql(table, server),
    ...rowLockSql(table),
    exactTextsSql(table),
    applySql(table),
    conflictsSql(table),
    diffSql(table),
    revertSql(table),
    lineagesSql(table),
    rebaseSql(table),
  ].join(';\n');
}

/** Returns a hash of everything that determines the shadow table's structure. */
export function layoutOf(table: Table): string {
  const parts = [
    table.columns.map(({ number, name, type, generated }) => [
      number,
      name,
      type,
      generated?.expression,
    ]),
    table.key,
    oldColumns(table),
  ];
  return createHash('md5').update(JSON.stringify(parts)).digest('hex');
}

async function register(
  tx: Queryable,
  table: Table,
  layout: string,
  generation: string,
): Promise<void> {
  await tx.query(
    `INSERT INTO stage.overlay (relation, namespace, schema_name, table_name, shown_name, key_columns, uniques, signature, layout, stamp, partitions_stamp, dependents, foreign_key_rank, columns, storage, generation, definition_stamp, settings, policy_stamp)
     VALUES ($1, $2, $3, $4, $5, ARRAY(SELECT jsonb_array_elements_text($6::jsonb)), $7, $8, $9, $14, $15, stage.dependent_columns($1), $10, $11, $16, $12, $13, ARRAY(SELECT jsonb_array_elements_text($17::jsonb)), $18)
     ON CONFLICT (relation) DO UPDATE SET namespace = excluded.namespace, schema_name = excluded.schema_name,
       table_name = excluded.table_name, shown_name = excluded.shown_name, key_columns = excluded.key_columns, uniques = excluded.uniques,
       signature = excluded.signature, layout = excluded.layout, stamp = excluded.stamp, partitions_stamp = excluded.partitions_stamp, dependents = excluded.dependents, writable = false,
       foreign_key_rank = excluded.foreign_key_rank, columns = excluded.columns, storage = excluded.storage, generation = excluded.generation, definition_stamp = excluded.definition_stamp, settings = excluded.settings, triggers = '[]', trigger_uses = NULL, trigger_path = NULL, trigger_stamp = NULL, policy_uses = NULL, policy_stamp = excluded.policy_stamp,
       installed_at = clock_timestamp()`,
    [
      table.oid,
      table.namespaceOid,
      table.schema,
      table.name,
      shownName(table.schema, table.name),
      JSON.stringify(table.key.map(({ name }) => name)),
      JSON.stringify(table.uniques),
      table.signature,
      layout,
      await foreignKeyRank(tx, table.oid),
      JSON.stringify(shadowColumns(table)),
      generation,
      table.stamp,
      // guard: a change that is committed while an overlay is made is not taken for part of it
      table.statementStamps.table,
      table.statementStamps.partitions,
      table.statementStamps.storage,
      JSON.stringify(table.settings),
      policyStamp(table),
    ],
  );
  await tx.query(
    'INSERT INTO stage.binding VALUES ($1::oid, $1::oid) ON CONFLICT (relation) DO UPDATE SET production = excluded.production',
    [table.oid],
  );
}

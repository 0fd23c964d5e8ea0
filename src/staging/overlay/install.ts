/** Builds, rebuilds or confirms the overlay of one table, inside the caller's transaction. */
import { createHash } from 'node:crypto';
import { foreignKeyRank } from '../../db/catalog-reader.ts';
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import { applySql } from './apply.ts';
import { conflictsSql } from './conflicts.ts';
import { diffSql } from './diff.ts';
import { mergeSql } from './merge.ts';
import { oldColumns, overlaySchema, rowTypeName, shadowName, upsertSchema } from './names.ts';
import { rowFunctionsSql } from './row-functions.ts';
import { shadowIndexesSql, shadowSql } from './shadow.ts';
import { triggersSql } from './triggers.ts';
import { upsertSql } from './upsert.ts';
import { defaultsSql, overlaySql } from './view.ts';

/**
 * Makes the overlay of a table current.
 * @param server major version of PostgreSQL
 * @throws StageError `statement_not_supported` when columns or key changed while rows are staged under the old ones
 */
export async function installOverlay(tx: Queryable, table: Table, server: number): Promise<void> {
  const [installed] = await tx.query(
    'SELECT signature, layout FROM stage.overlay WHERE relation = $1',
    [table.oid],
  );
  if (installed?.['signature'] === table.signature) {
    await tx.query(
      'UPDATE stage.overlay SET stamp = stage.table_stamp(relation) WHERE relation = $1',
      [table.oid],
    );
    return;
  }
  if (installed !== undefined) await tx.query('SELECT stage.drop_overlay($1)', [table.oid]);
  const layout = layoutOf(table);
  if (installed?.['layout'] !== layout) await createShadow(tx, table, installed !== undefined);
  for (const schema of [overlaySchema(table), upsertSchema(table)]) {
    await tx.query(
      `CREATE SCHEMA IF NOT EXISTS ${schema}; GRANT USAGE ON SCHEMA ${schema} TO PUBLIC`,
    );
  }
  await tx.query('SELECT stage.release_name($1, $2, $3)', [
    table.oid,
    table.namespaceOid,
    table.name,
  ]);
  await tx.query(overlayScript(table, server));
  await register(tx, table, layout);
}

/** Everything that builds the overlay over an existing shadow table; one script, so that it costs one round trip. */
function overlayScript(table: Table, server: number): string {
  return [
    ...shadowIndexesSql(table),
    overlaySql(table),
    ...defaultsSql(table),
    ...rowFunctionsSql(table),
    ...triggersSql(table, server),
    upsertSql(table, server),
    ...mergeSql(table, server),
    applySql(table),
    conflictsSql(table),
    diffSql(table),
  ].join(';\n');
}

/** A witness of what the shadow table is made of. */
function layoutOf(table: Table): string {
  const parts = [table.columns.map(({ name, type }) => [name, type]), table.key, oldColumns(table)];
  return createHash('md5').update(JSON.stringify(parts)).digest('hex');
}

async function createShadow(tx: Queryable, table: Table, exists: boolean): Promise<void> {
  if (exists) {
    const [row] = await tx.query(`SELECT EXISTS (SELECT 1 FROM ${shadowName(table)}) AS staged`);
    if (row?.['staged'] === 't') throw layoutChanged(table);
    await tx.query(`DROP TABLE ${shadowName(table)}; DROP TYPE ${rowTypeName(table)}`);
  }
  await tx.query(shadowSql(table));
}

function layoutChanged(table: Table): StageError {
  const name = shownName(table.schema, table.name);
  return new StageError(
    'statement_not_supported',
    `the columns or the key of "${name}" changed while sessions hold staged rows of it`,
    {
      sqlstate: '55006',
      hint: 'Approve, reject or delete the sessions that staged rows of this table before its change, then retry.',
    },
  );
}

async function register(tx: Queryable, table: Table, layout: string): Promise<void> {
  await tx.query(
    `INSERT INTO stage.overlay (relation, namespace, schema_name, table_name, shown_name, key_columns, uniques, signature, layout, stamp, foreign_key_rank)
     VALUES ($1, $2, $3, $4, $5, ARRAY(SELECT jsonb_array_elements_text($6::jsonb)), $7, $8, $9, stage.table_stamp($1), $10)
     ON CONFLICT (relation) DO UPDATE SET namespace = excluded.namespace, schema_name = excluded.schema_name,
       table_name = excluded.table_name, shown_name = excluded.shown_name, key_columns = excluded.key_columns, uniques = excluded.uniques,
       signature = excluded.signature, layout = excluded.layout, stamp = excluded.stamp, writable = false,
       foreign_key_rank = excluded.foreign_key_rank, installed_at = clock_timestamp()`,
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
    ],
  );
}

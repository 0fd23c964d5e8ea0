/**
 * Binding of overlays to tables. Overlays refer to tables by OID, and an OID is valid in one database only. In a restored copy of a
 * database it means another table. There each overlay is bound to the table that has the name of its original table and the same columns.
 * Where there is none, its staged rows are orphaned, and approval reports a conflict.
 */
import { readTable } from '../../db/catalog-reader.ts';
import type { Database, Queryable } from '../../db/database.ts';
import type { Table } from '../../model/table.ts';
import { isServable } from '../../staging/servable.ts';
import { diffSql } from '../approval/diff.ts';
import { exactTextsSql } from '../approval/exact-texts.ts';
import type { ShadowColumn } from './column-changes.ts';
import { shadowColumns } from './column-changes.ts';
import { layoutOf } from './install.ts';
import { lockInstallation } from './installation-lock.ts';

/** Maximum number of objects dropped, or overlays moved, in one transaction: each takes locks, and a server's lock table is limited. */
const atOnce = { objects: 200, overlays: 20 };

/**
 * Binds all overlays to the tables of the database, unless they are bound already. Several daemons may call it at once.
 * @throws StageError `service_outdated` when a newer release has already run here: that one binds them
 */
export async function ensureBound(db: Database): Promise<void> {
  while (!(await isServable(db))) await db.transaction(bindSome);
}

/** Does the first unfinished part of the binding, limited by `atOnce`. The order of the parts matters. */
async function bindSome(tx: Queryable): Promise<void> {
  await lockInstallation(tx);
  // as for installations: no user code runs with the service's rights
  await tx.query('SET LOCAL check_function_bodies = off');
  if (await isServable(tx)) return;
  await tx.query('SELECT stage.begin_rebinding()');
  if (await isServable(tx)) return;
  const unchecked = await moving(tx, 'unchecked');
  if (unchecked.length > 0) return each(tx, unchecked, checkLayout);
  const [row] = await tx.query('SELECT stage.clear_stand_ins($1) AS dropped', [atOnce.objects]);
  if (row?.['dropped'] !== '0') return;
  const bindable = await moving(tx, 'bindable');
  if (bindable.length > 0) return each(tx, bindable, detach);
  const detached = await moving(tx, 'detached');
  if (detached.length > 0) return each(tx, detached, attach);
  await tx.query('SELECT stage.finish_rebinding()');
}

interface Moving {
  readonly relation: number;
  readonly columns: readonly ShadowColumn[];
  readonly layout: string;
  /** The table of this database that the overlay moves to; null if there is none. */
  readonly table: Table | null;
}

async function moving(tx: Queryable, state: string): Promise<Moving[]> {
  const rows = await tx.query(
    `SELECT o.relation, o.columns, o.layout, b.production FROM stage.overlay o JOIN stage.bound_tables() b ON b.relation = o.relation
     WHERE o.moving = $1 ORDER BY o.relation LIMIT ${atOnce.overlays}`,
    [state],
  );
  const found: Moving[] = [];
  for (const { relation, columns, layout, production } of rows) {
    found.push({
      relation: Number(relation),
      columns: JSON.parse(columns ?? '[]') as ShadowColumn[],
      layout: String(layout),
      table: production == null ? null : await readTable(tx, Number(production)),
    });
  }
  return found;
}

async function each(
  tx: Queryable,
  overlays: readonly Moving[],
  work: (tx: Queryable, overlay: Moving) => Promise<void>,
): Promise<void> {
  for (const overlay of overlays) await work(tx, overlay);
}

/** Orphans the staged rows of a table that is missing or has other columns, while the functions that describe them still exist. */
async function checkLayout(
  tx: Queryable,
  { relation, table, columns, layout }: Moving,
): Promise<void> {
  const fits = table !== null && layoutOf(renumbered(table, columns)) === layout;
  if (fits) await setMoving(tx, relation, 'bindable');
  else await tx.query('SELECT stage.park_all($1, $2)', [relation, misfit(table)]);
}

const misfit = (table: Table | null) =>
  table === null
    ? 'the database was restored, and the table is not in it'
    : 'the database was restored, and the table has other columns in it';

/** Moves the overlay off its OID, because another overlay may need that OID. */
async function detach(tx: Queryable, { relation }: Moving): Promise<void> {
  const [row] = await tx.query('SELECT stage.free_number() AS free');
  const free = Number(row?.['free']);
  await tx.query('SELECT stage.renumber_overlay($1, $2)', [relation, free]);
  await setMoving(tx, free, 'detached');
}

/** Attaches the overlay to its table. Creates the functions of its diff; other views and functions are created when they are needed. */
async function attach(tx: Queryable, { relation, table }: Moving): Promise<void> {
  if (table === null) return setMoving(tx, relation, 'unchecked');
  await tx.query('SELECT stage.renumber_overlay($1, $2)', [relation, table.oid]);
  await tx.query(
    `UPDATE stage.overlay SET moving = NULL, namespace = $2, schema_name = $3, table_name = $4, columns = $5, layout = $6,
       signature = '', stamp = 'outdated ', generation = NULL, storage = pg_relation_filenode(relation) WHERE relation = $1`,
    [
      table.oid,
      table.namespaceOid,
      table.schema,
      table.name,
      JSON.stringify(shadowColumns(table)),
      layoutOf(table),
    ],
  );
  await tx.query(exactTextsSql(table));
  await tx.query(diffSql(table));
}

async function setMoving(tx: Queryable, relation: number, state: string): Promise<void> {
  await tx.query('UPDATE stage.overlay SET moving = $2 WHERE relation = $1', [relation, state]);
}

/**
 * Returns the table with the column numbers of the overlay's original table: a restore does not preserve the numbers of dropped columns.
 */
function renumbered(table: Table, columns: readonly ShadowColumn[]): Table {
  const numbers = new Map(columns.map(({ name, number }) => [name, number]));
  return {
    ...table,
    columns: table.columns.map((column) => ({ ...column, number: numbers.get(column.name) ?? 0 })),
  };
}

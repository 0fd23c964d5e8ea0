/** Foreign keys, judged against the overlay: existence on the child's side, actions and restrictions on the parent's. */
import { quoteIdentifier, quoteLiteral } from '../../db/identifier.ts';
import type { ForeignKey, ForeignKeyAction, Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  oldColumnName,
  overlayName,
  shadowName,
} from '../object-names.ts';
import { present, same } from '../row-identity.ts';
import { foreignKeyAt, partitionOf, placeAt } from '../rows/partitions.ts';
import { displayKey, keyDetail, raise, tell, valuesDetail } from '../rows/raise.ts';
import { lockReferences } from './key-locks.ts';

/** The columns of a foreign key, pair by pair, quoted. */
export const pairs = (foreignKey: ForeignKey) =>
  foreignKey.child.columns.map((child, index) => ({
    child: quoteIdentifier(child),
    parent: quoteIdentifier(foreignKey.parent.columns[index] ?? ''),
    parentName: foreignKey.parent.columns[index] ?? '',
    equals: foreignKey.equals[index] ?? '=',
    parentEquals: foreignKey.parentEquals[index] ?? '=',
  }));

/**
 * An SQL condition: no row bears a key; with PERIOD, those that do so in part do not cover its period together.
 * @param bearers the rows `q` of the parent that bear the key, or a part of it: a relation and a condition
 * @param period the period that is to be covered
 */
function lacksBearer(
  foreignKey: ForeignKey,
  { relation, condition }: { readonly relation: string; readonly condition: string },
  period: string,
): string {
  const rows = `FROM ${relation} q WHERE ${condition}`;
  // guard: rows of a parent cover a period together
  if (!foreignKey.hasPeriod) return `NOT EXISTS (SELECT 1 ${rows})`;
  const covered = pairs(foreignKey).at(-1)?.parent;
  return `NOT coalesce(${period} <@ (SELECT range_agg(q.${covered}) ${rows}), false)`;
}

/**
 * Every staged row of the child has its parent in the overlay.
 * @param rows condition that selects the rows of the shadow table `s`
 * @param isAtCommit the statements that staged them are over
 */
export function childCheck(
  table: Table,
  foreignKey: ForeignKey,
  rows: string,
  isAtCommit = false,
): string {
  const columns = pairs(foreignKey);
  const notNull = columns.map(({ child }) => present(`s.${child}`)).join(' AND ');
  const join = columns
    .map(({ child, parent, equals }) => `q.${parent} ${equals} s.${child}`)
    .join(' AND ');
  const staged = `${rows} AND s._stage_head AND s._stage_op <> 'D' AND s._stage_check`;
  const place = placeAt(table, '_stage_v_partition');
  const constraint = foreignKeyAt(table, foreignKey, '_stage_v_partition', foreignKey.parent.oid);
  const violation = {
    message: tell`insert or update on table "${place.table}" violates foreign key constraint "${constraint}"`,
    sqlstate: '23503',
    ...place,
    constraint,
  };
  const missing = raise({
    ...violation,
    ...valuesDetail(
      table,
      keyDetail(
        foreignKey.child.columns,
        '_stage_v_value',
        ` is not present in table "${foreignKey.parent.name}".`,
      ),
      `Key is not present in table "${foreignKey.parent.name}".`,
    ),
  });
  const bearers = { relation: overlayName(foreignKey.parent), condition: join };
  const missingParent = lacksBearer(foreignKey, bearers, `s.${columns.at(-1)?.child}`);
  const existence = `${lockReferences(table, foreignKey, `${staged} AND ${notNull}`, isAtCommit)}
  SELECT ${displayKey(columns.map(({ child }) => `s.${child}`))}, ${partitionOf(table, 's.')} INTO _stage_v_value, _stage_v_partition
  FROM ${shadowName(table)} s
  WHERE ${staged} AND ${notNull} AND ${missingParent}
  ORDER BY s._stage_seq LIMIT 1;
  IF FOUND THEN ${missing} END IF;`;
  if (!foreignKey.matchFull || columns.length === 1) return existence;
  const someNull = columns.map(({ child }) => `NOT (${present(`s.${child}`)})`).join(' OR ');
  const someNotNull = columns.map(({ child }) => present(`s.${child}`)).join(' OR ');
  const mixed = raise({
    ...violation,
    detail: quoteLiteral('MATCH FULL does not allow mixing of null and nonnull key values.'),
  });
  return `  SELECT ${partitionOf(table, 's.')} INTO _stage_v_partition FROM ${shadowName(table)} s WHERE ${staged} AND (${someNull}) AND (${someNotNull}) LIMIT 1;
  IF FOUND THEN ${mixed} END IF;
${existence}`;
}

/** How a parent's row stopped bearing a key: it was deleted, or updated to another one. */
export type ParentEvent = 'delete' | 'update';

/** The key that vanished, as an expression over a shadow row. */
function vanishedKey(table: Table, foreignKey: ForeignKey, event: ParentEvent, row = 'd') {
  return pairs(foreignKey).map(({ parent, parentName }) =>
    event === 'delete' ? `${row}.${parent}` : `${row}.${oldColumnName(table, parentName)}`,
  );
}

/**
 * The partition that had the key, as an expression over the shadow row `d`; the root for a row that has moved to another one.
 * Columns that decide on the partition are part of every key.
 */
function vanishedFrom(table: Table, foreignKey: ForeignKey, event: ParentEvent): string {
  if (event === 'delete' || table.kind !== 'partitioned') return partitionOf(table, 'd.');
  const from = partitionBefore(table, foreignKey, 'd');
  return `CASE WHEN ${from} = ${partitionOf(table, 'd.')} THEN ${from} ELSE ${table.oid} END`;
}

/** The partition that an updated row was in, as an expression over its shadow row. */
function partitionBefore(table: Table, { parent }: ForeignKey, row: string): string {
  const old = new Map(
    parent.columns.map((column) => [column, `${row}.${oldColumnName(table, column)}`]),
  );
  const before = columnNames(table).map(
    (name) => old.get(name) ?? `${row}.${quoteIdentifier(name)}`,
  );
  return `${functionName(table, 'partition')}(${before.join(', ')})`;
}

/**
 * A condition that selects the updated shadow rows that are now in another partition; null for a table without partitions,
 * or one that nothing refers to: only for keys that others refer to it is known what a row was.
 */
export function hasMoved(table: Table, row: string): string | null {
  const [foreignKey] = table.referencedBy;
  if (table.kind !== 'partitioned' || foreignKey === undefined) return null;
  return `${partitionBefore(table, foreignKey, row)} <> ${partitionOf(table, `${row}.`)}`;
}

/** Selects the shadow rows by which keys of this foreign key vanished. */
function vanished(
  table: Table,
  foreignKey: ForeignKey,
  event: ParentEvent,
  rows: string,
  row = 'd',
): string {
  if (event === 'delete')
    return `${rows} AND ${row}._stage_op = 'D' AND ${row}._stage_origin <> 'overlay'`;
  const changed = pairs(foreignKey).map(
    ({ parent, parentName }) =>
      `NOT ${same(`${row}.${parent}`, `${row}.${oldColumnName(table, parentName)}`)}`,
  );
  return `${rows} AND ${row}._stage_op = 'U' AND (${changed.join(' OR ')})`;
}

/**
 * Matches the child's rows `o` to the shadow rows by which their key vanished.
 * @param rows condition that selects the statement's rows of the shadow table
 * @param row alias of the shadow table
 */
export function reached(
  table: Table,
  foreignKey: ForeignKey,
  event: ParentEvent,
  rows: string,
  row = 'd',
): string {
  const key = vanishedKey(table, foreignKey, event, row);
  const join = pairs(foreignKey).map(({ child, equals }, at) => `${key[at]} ${equals} o.${child}`);
  return `${join.join(' AND ')} AND ${vanished(table, foreignKey, event, rows, row)}`;
}

/**
 * What the end of a statement does about vanished keys: raise where children remain, or run the constraint's action.
 * @param rows condition that selects the rows of the shadow table `d`
 * @param server major version of PostgreSQL: 18 has its own SQLSTATE for RESTRICT
 */
export function parentStep(
  table: Table,
  foreignKey: ForeignKey,
  event: ParentEvent,
  rows: string,
  server: number,
): string {
  const action = event === 'delete' ? foreignKey.onDelete : foreignKey.onUpdate;
  const check = restriction(table, foreignKey, event, rows, action === 'restrict', server);
  if (action === 'no action' || action === 'restrict') return check;
  const statement = actionStatement(table, foreignKey, event, rows, action);
  const run = `  PERFORM stage.demand_current(${foreignKey.child.oid});
  PERFORM set_config('stage.mutation', _stage_v_mutation::text, true), set_config('stage.origin', 'action', true);
  ${statement}
  PERFORM set_config('stage.origin', '', true);`;
  // the defaults may themselves point at a key that vanished
  return action === 'set default' ? `${run}\n${check}` : run;
}

/**
 * Raises when a child of a vanished key remains and, but for RESTRICT, no other row has taken the key; with PERIOD, where others
 * do not cover what the two periods share. Of such a foreign key there is no RESTRICT, nor another action.
 */
export function restriction(
  table: Table,
  foreignKey: ForeignKey,
  event: ParentEvent,
  rows: string,
  strict: boolean,
  server: number,
): string {
  const columns = pairs(foreignKey);
  const key = vanishedKey(table, foreignKey, event);
  const taken = columns
    .map(({ parent, parentEquals }, index) => `q.${parent} ${parentEquals} ${key[index]}`)
    .join(' AND ');
  const bearers = { relation: overlayName(table), condition: taken };
  const shared = `(o.${columns.at(-1)?.child} * ${key.at(-1)})`;
  const unlessTaken = strict ? '' : `WHERE ${lacksBearer(foreignKey, bearers, shared)}`;
  const own = strict && server >= 18;
  const referenced = ` is ${own ? '' : 'still '}referenced from table "${foreignKey.child.name}".`;
  const place = placeAt(table, '_stage_v_partition');
  const constraint = foreignKeyAt(table, foreignKey, foreignKey.child.oid, '_stage_v_partition');
  const violation = raise({
    message: tell`update or delete on table "${place.table}" violates ${own ? 'RESTRICT setting of ' : ''}foreign key constraint "${constraint}" on table "${foreignKey.child.name}"`,
    sqlstate: own ? '23001' : '23503',
    schema: foreignKey.child.schema,
    table: foreignKey.child.name,
    constraint,
    ...valuesDetail(
      table,
      keyDetail(foreignKey.parent.columns, '_stage_v_value', referenced),
      `Key${referenced}`,
    ),
  });
  return `  SELECT ${displayKey(key)}, ${vanishedFrom(table, foreignKey, event)} INTO _stage_v_value, _stage_v_partition
  FROM ${shadowName(table)} d JOIN ${overlayName(foreignKey.child)} o ON ${reached(table, foreignKey, event, rows)}
  ${unlessTaken} ORDER BY d._stage_seq LIMIT 1;
  IF FOUND THEN ${violation} END IF;`;
}

function actionStatement(
  table: Table,
  foreignKey: ForeignKey,
  event: ParentEvent,
  rows: string,
  action: Exclude<ForeignKeyAction, 'no action' | 'restrict'>,
): string {
  const columns = pairs(foreignKey);
  const children = reached(table, foreignKey, event, rows);
  const child = overlayName(foreignKey.child);
  if (action === 'cascade' && event === 'delete')
    return `DELETE FROM ${child} o USING ${shadowName(table)} d WHERE ${children};`;
  const set =
    action === 'cascade'
      ? columns.map(({ child: column, parent }) => `${column} = d.${parent}`).join(', ')
      : (event === 'delete' ? foreignKey.onDeleteColumns : foreignKey.child.columns)
          .map(
            (column) => `${columnList([column])} = ${action === 'set null' ? 'NULL' : 'DEFAULT'}`,
          )
          .join(', ');
  return `UPDATE ${child} o SET ${set} FROM ${shadowName(table)} d WHERE ${children};`;
}

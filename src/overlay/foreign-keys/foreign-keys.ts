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

/** The columns of a foreign key, pair by pair, quoted. */
export const pairs = (foreignKey: ForeignKey) =>
  foreignKey.child.columns.map((child, index) => ({
    child: quoteIdentifier(child),
    parent: quoteIdentifier(foreignKey.parent.columns[index] ?? ''),
    parentName: foreignKey.parent.columns[index] ?? '',
    equals: foreignKey.equals[index] ?? '=',
  }));

/** Names what a key of these columns of a table is locked by, on both sides of a foreign key. */
const lockScope = (oid: number, columns: readonly string[]) =>
  quoteLiteral([oid, ...columns].join('.'));

/** More rows of one statement are not looked through for keys to lock: more keys than this are not locked either. */
const maxLockedRows = 1000;

/** Keys that staged rows refer to are locked before they are looked for, as PostgreSQL locks the rows. */
function lockReferences(
  table: Table,
  { child, parent }: ForeignKey,
  rows: string,
  isAtCommit: boolean,
): string {
  const key = child.columns.map((column) => `s.${quoteIdentifier(column)}`);
  return `  PERFORM stage.lock_key(${lockScope(parent.oid, parent.columns)}, k.key, false, ${!isAtCommit}) FROM (
    SELECT DISTINCT r.key FROM (SELECT ${displayKey(key)} AS key FROM ${shadowName(table)} s WHERE ${rows} LIMIT ${maxLockedRows}) r) k;`;
}

/** Statements of a row trigger that lock the keys of OLD that other tables refer to, where they are about to vanish. */
export function lockVanishing(table: Table, event: ParentEvent): string {
  const scopes = new Map(
    table.referencedBy.map(({ parent }) => [lockScope(parent.oid, parent.columns), parent.columns]),
  );
  return [...scopes]
    .map(([scope, columns]) => {
      const old = columns.map((column) => `OLD.${quoteIdentifier(column)}`);
      const lock = `PERFORM stage.lock_key(${scope}, ${displayKey(old)}, true, true);`;
      if (event === 'delete') return `  ${lock}`;
      const changed = columns.map((column, index) => {
        return `NOT ${same(`NEW.${quoteIdentifier(column)}`, old[index] ?? '')}`;
      });
      return `  IF ${changed.join(' OR ')} THEN ${lock} END IF;`;
    })
    .join('\n');
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
    .map(({ child, parent, equals }) => `o.${parent} ${equals} s.${child}`)
    .join(' AND ');
  const staged = `${rows} AND s._stage_head AND s._stage_op <> 'D' AND s._stage_check`;
  const place = placeAt(table, 'v_partition');
  const constraint = foreignKeyAt(table, foreignKey, 'v_partition', foreignKey.parent.oid);
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
        'v_value',
        ` is not present in table "${foreignKey.parent.name}".`,
      ),
      `Key is not present in table "${foreignKey.parent.name}".`,
    ),
  });
  const existence = `${lockReferences(table, foreignKey, `${staged} AND ${notNull}`, isAtCommit)}
  SELECT ${displayKey(columns.map(({ child }) => `s.${child}`))}, ${partitionOf(table, 's.')} INTO v_value, v_partition
  FROM ${shadowName(table)} s
  WHERE ${staged} AND ${notNull} AND NOT EXISTS (SELECT 1 FROM ${overlayName(foreignKey.parent)} o WHERE ${join})
  ORDER BY s._stage_seq LIMIT 1;
  IF FOUND THEN ${missing} END IF;`;
  if (!foreignKey.matchFull || columns.length === 1) return existence;
  const someNull = columns.map(({ child }) => `NOT (${present(`s.${child}`)})`).join(' OR ');
  const someNotNull = columns.map(({ child }) => present(`s.${child}`)).join(' OR ');
  const mixed = raise({
    ...violation,
    detail: quoteLiteral('MATCH FULL does not allow mixing of null and nonnull key values.'),
  });
  return `  SELECT ${partitionOf(table, 's.')} INTO v_partition FROM ${shadowName(table)} s WHERE ${staged} AND (${someNull}) AND (${someNotNull}) LIMIT 1;
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

/** The equality operator of a referenced column: a unique index stands behind it. */
export function equalityOf(table: Table, column: string): string {
  const elements = table.uniques.flatMap((unique) =>
    unique.kind === 'unique' ? unique.elements : [],
  );
  return elements.find((element) => element.column === column)?.operator ?? '=';
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
    return `${rows} AND ${row}._stage_op = 'D' AND ${row}._stage_origin <> 'k'`;
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
  PERFORM set_config('stage.mutation', v_mutation::text, true), set_config('stage.origin', 'f', true);
  ${statement}
  PERFORM set_config('stage.origin', '', true);`;
  // the defaults may themselves point at a key that vanished
  return action === 'set default' ? `${run}\n${check}` : run;
}

/** Raises when a child of a vanished key remains and, but for RESTRICT, no other row has taken the key. */
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
    .map(
      ({ parent, parentName }, index) =>
        `q.${parent} ${equalityOf(table, parentName)} ${key[index]}`,
    )
    .join(' AND ');
  const unlessTaken = strict
    ? ''
    : `WHERE NOT EXISTS (SELECT 1 FROM ${overlayName(table)} q WHERE ${taken})`;
  const own = strict && server >= 18;
  const referenced = ` is ${own ? '' : 'still '}referenced from table "${foreignKey.child.name}".`;
  const place = placeAt(table, 'v_partition');
  const constraint = foreignKeyAt(table, foreignKey, foreignKey.child.oid, 'v_partition');
  const violation = raise({
    message: tell`update or delete on table "${place.table}" violates ${own ? 'RESTRICT setting of ' : ''}foreign key constraint "${constraint}" on table "${foreignKey.child.name}"`,
    sqlstate: own ? '23001' : '23503',
    schema: foreignKey.child.schema,
    table: foreignKey.child.name,
    constraint,
    ...valuesDetail(
      table,
      keyDetail(foreignKey.parent.columns, 'v_value', referenced),
      `Key${referenced}`,
    ),
  });
  return `  SELECT ${displayKey(key)}, ${vanishedFrom(table, foreignKey, event)} INTO v_value, v_partition
  FROM ${shadowName(table)} d JOIN ${overlayName(foreignKey.child)} o ON ${reached(table, foreignKey, event, rows)}
  ${unlessTaken} LIMIT 1;
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

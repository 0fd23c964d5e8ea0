/** Foreign keys, checked against the overlay on the parent's side: actions and restrictions where a key has vanished. */
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { ForeignKey, ForeignKeyAction, Table } from '../../model/table.ts';
import { overlayName, shadowName } from '../object-names.ts';
import { refusalOfRow } from '../obstacle.ts';
import {
  andWasWithin,
  demandPartitions,
  foreignKeyAt,
  partitionBefore,
  partitionOf,
  placeAt,
  referredName,
  referringAt,
  referringPartition,
  withinCall,
} from '../partitions.ts';
import { displayKey, keyDetail, messageOf, messageSql, raise, valuesDetail } from '../raise.ts';
import { lacksBearer, pairs } from './foreign-keys.ts';
import type { ParentEvent } from './vanished-keys.ts';
import { actionOf, reached, vanished, vanishedFrom, vanishedKey } from './vanished-keys.ts';

/**
 * Builds the step that runs for vanished keys at the end of a statement: it raises an error where children remain, or runs the constraint's
 * action.
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
  const action = actionOf(foreignKey, event);
  const check = restriction(table, foreignKey, event, rows, action === 'restrict', server);
  if (action === 'no action' || action === 'restrict')
    return demandPartitions(foreignKey.child) + check;
  const statement = actionStatement(table, foreignKey, event, rows, action);
  const set = `stage.set_${foreignKey.child.oid}`;
  const columns = quoteLiteral(JSON.stringify(setColumns(foreignKey, event)));
  const run = `${refuseRewritten(table, foreignKey, event, rows, action)}  PERFORM stage.demand_current(${foreignKey.child.oid});
  _stage_v_set := current_setting('${set}', true);
  PERFORM set_config('stage.mutation', _stage_v_mutation::text, true), set_config('stage.origin', 'action', true), set_config('${set}', ${columns}, true);
  ${statement}
  PERFORM set_config('stage.origin', '', true), set_config('${set}', coalesce(_stage_v_set, ''), true);`;
  // the defaults may themselves refer to a key that vanished
  return action === 'set default' ? `${run}\n${check}` : run;
}

/**
 * Builds the check that raises when a child of a vanished key remains. Except for RESTRICT, another row may have taken the key. With
 * PERIOD, other rows must cover the overlap of the two periods; such a foreign key has neither RESTRICT nor another action.
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
  const referring = referringAt(foreignKey, '_stage_v_referring');
  const referenced = messageOf` is ${own ? '' : 'still '}referenced from table "${referring.table}".`;
  const place = placeAt(table, '_stage_v_partition');
  const referred = table.kind === 'partitioned' ? '_stage_v_partition' : table.oid;
  const constraint = foreignKeyAt(table, foreignKey, referring.relation, referred);
  const violation = raise({
    message: messageOf`update or delete on table "${place.table}" violates ${own ? 'RESTRICT setting of ' : ''}foreign key constraint "${constraint}" on table "${referring.table}"`,
    sqlstate: own ? '23001' : '23503',
    schema: referring.schema,
    table: referring.table,
    constraint,
    ...valuesDetail(
      table,
      keyDetail(foreignKey.parent.columns, '_stage_v_value', referenced),
      messageOf`Key${referenced}`,
    ),
  });
  const partition = referringPartition(foreignKey.child, 'o.');
  return `  SELECT ${displayKey(key)}, ${vanishedFrom(table, event)}, ${partition} INTO _stage_v_value, _stage_v_partition, _stage_v_referring
  FROM ${shadowName(table)} d JOIN ${overlayName(foreignKey.child)} o ON ${reached(table, foreignKey, event, rows)}
  ${unlessTaken} ORDER BY d._stage_seq${foreignKey.child.partitions === null ? '' : ', 3'} LIMIT 1;
  IF FOUND THEN ${violation} END IF;`;
}

/**
 * Builds statements that raise PostgreSQL's error where a row moves out of a partition that foreign keys refer to and that is itself
 * partitioned: PostgreSQL cannot determine then whether the key has vanished. Empty for a table without such a partition.
 * @param rows condition that selects the rows of the shadow table `d`
 */
export function refuseCrossing(table: Table, rows: string): string {
  return table.referencedBy
    .filter(({ parent: { partitions } }) => partitions !== null && !partitions.areLeaves)
    .map(({ parent }) => {
      const ancestor = referredName(parent);
      const refusal = raise({
        message:
          'cannot move tuple across partitions when a non-root ancestor of the source partition is directly referenced in a foreign key',
        sqlstate: '0A000',
        detail: messageSql(
          messageOf`A foreign key points to ancestor "${ancestor}" but not the root ancestor "${table.name}".`,
        ),
        hint: `Consider defining the foreign key on table "${table.name}".`,
      });
      return `  PERFORM 1 FROM ${shadowName(table)} d
  WHERE ${rows} AND d._stage_op = 'U'${andWasWithin(table, parent, 'd.')} AND ${partitionBefore(table, 'd.')} <> ${partitionOf(table, 'd.')};
  IF FOUND THEN ${refusal} END IF;`;
    })
    .join('\n');
}

type Acting = Exclude<ForeignKeyAction, 'no action' | 'restrict'>;

/** Returns the columns of the child that an action sets. */
const setColumns = ({ child, onDeleteColumns }: ForeignKey, event: ParentEvent) =>
  event === 'update' ? child.columns : onDeleteColumns;

/** Returns whether an action deletes the rows of the child; other actions update them. */
const deletes = (action: Acting, event: ParentEvent) => action === 'cascade' && event !== 'update';

/** Builds the check that raises where a rule of the child replaces the action: PostgreSQL refuses it then, whichever rows it reaches. */
function refuseRewritten(
  table: Table,
  foreignKey: ForeignKey,
  event: ParentEvent,
  rows: string,
  action: Acting,
): string {
  const { child } = foreignKey;
  const operation = deletes(action, event) ? 'DELETE' : 'UPDATE';
  const refusal = refusalOfRow({ ...child, obstacle: 'has rules' });
  return `  IF stage.is_rewritten(${child.oid}, '${operation}') AND EXISTS (SELECT FROM ${shadowName(table)} d WHERE ${vanished(table, foreignKey, event, rows)}) THEN ${refusal} END IF;
`;
}

function actionStatement(
  table: Table,
  foreignKey: ForeignKey,
  event: ParentEvent,
  rows: string,
  action: Acting,
): string {
  const children = reached(table, foreignKey, event, rows);
  const child = overlayName(foreignKey.child);
  if (deletes(action, event))
    return `DELETE FROM ${child} o USING ${shadowName(table)} d WHERE ${children};`;
  const values = new Map(
    action === 'cascade'
      ? pairs(foreignKey).map(({ child: column, parent }) => [column, `d.${parent}`])
      : setColumns(foreignKey, event).map((column) => [
          quoteIdentifier(column),
          action === 'set null' ? 'NULL' : 'DEFAULT',
        ]),
  );
  const set = [...values].map(([column, value]) => `${column} = ${value}`).join(', ');
  const update = `UPDATE ${child} o SET ${set} FROM ${shadowName(table)} d WHERE ${children};`;
  return refuseLeaving(table, foreignKey, children, values) + update;
}

/**
 * Builds the check that raises where an action of a partition's own foreign key would put a row into another partition: PostgreSQL updates
 * the partition, and no row moves then. The effect of defaults is not checked.
 */
function refuseLeaving(
  table: Table,
  { child }: ForeignKey,
  children: string,
  values: ReadonlyMap<string, string>,
): string {
  const names = child.partitions?.columns.map(quoteIdentifier) ?? [];
  const set = names.filter((name) => values.has(name) && values.get(name) !== 'DEFAULT');
  if (child.partitions === null || set.length === 0) return '';
  const within = withinCall(
    child,
    names.map((name) => values.get(name) ?? `o.${name}`),
  );
  const place = placeAt({ ...table, kind: 'partitioned' }, '_stage_v_referring');
  const violation = raise({
    message: messageOf`new row for relation "${place.table}" violates partition constraint`,
    sqlstate: '23514',
    ...place,
  });
  return `SELECT ${referringPartition(child, 'o.')} INTO _stage_v_referring
  FROM ${shadowName(table)} d JOIN ${overlayName(child)} o ON ${children} AND NOT ${within} LIMIT 1;
  IF FOUND THEN ${violation} END IF;
  `;
}

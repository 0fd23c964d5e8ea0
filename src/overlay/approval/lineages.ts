/** The functions of a table that remove staged rows from a session, and that find the rows that depend on them. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { ForeignKey, ForeignKeyEnd, Table, Unique } from '../../model/table.ts';
import { pairs } from '../foreign-keys/foreign-keys.ts';
import type { ParentEvent } from '../foreign-keys/vanished-keys.ts';
import { actionOf, eventsOfUpdate } from '../foreign-keys/vanished-keys.ts';
import {
  columnNamed,
  functionName,
  isKeyless,
  oldColumnName,
  shadowName,
} from '../object-names.ts';
import { andWithin } from '../partitions.ts';
import { keyColumns, oldKeyColumns, rowKey, same, sameInColumn } from '../row-identity.ts';
import { collideAs } from '../uniques.ts';
import { newestVersionSql } from './diff.ts';

/**
 * Builds `lineages_<oid>`, `dependents_<oid>`, `shared_<oid>`, `referred_<oid>` and `unstage_<oid>`. There are none for a table without a
 * key, whose equal rows cannot be identified, and none for a table with parents or children, where a key may be in any of them.
 */
export function lineagesSql(table: Table): string {
  if (isKeyless(table) || table.isInherited) return '';
  return fillSql(loadSql('table/approval/lineages.sql'), {
    lineages: functionName(table, 'lineages'),
    dependents: functionName(table, 'dependents'),
    shared: functionName(table, 'shared'),
    referred: functionName(table, 'referred'),
    unstage: functionName(table, 'unstage'),
    shadow: shadowName(table),
    newest_version: newestVersionSql(table),
    f_row_id: rowKey(table, oldKeyColumns(table, '_stage_f.')),
    h_row_id: rowKey(table, keyColumns(table, '(h.version).')),
    i_key: keyColumns(table, 'i.').join(', '),
    dependents_by_reason: [
      // guard: a restored value unstages the row that has it now
      ...uniqueDependents(table),
      ...table.referencedBy.flatMap(foreignKeyDependents(table)),
    ].join('\n'),
    // guard: rows that had one value after another stay together
    shared_uniques: sharedUniques(table).join('\n'),
    // guard: rows that referred to a row for a while stay with it
    shared_foreign_keys: table.referencedBy.map(sharedForeignKey(table)).join('\n'),
  });
}

const base = (name: string) => `(f._stage_base).${quoteIdentifier(name)}`;

function uniqueDependents(table: Table): string[] {
  return table.uniques.map((unique) => {
    const { collides, bothParticipate } = collideAs(table, unique, '(b.base).', 's.');
    const kept = keptValues(table, unique, 'v', base);
    return fillSql(loadSql('table/approval/dependents_unique.sql'), {
      oid: table.oid,
      shadow: shadowName(table),
      collides,
      kept,
      both_participate: bothParticipate,
    });
  });
}

function sharedUniques(table: Table): string[] {
  return table.uniques.map((unique) => {
    const { collides, bothParticipate } = collideAs(table, unique, 't.', 's.');
    const next = (name: string) => `lead(v.${quoteIdentifier(name)}) OVER _stage_w`;
    return fillSql(loadSql('table/approval/shared_unique.sql'), {
      oid: table.oid,
      shadow: shadowName(table),
      collides,
      kept: keptValues(table, unique, 'v', next),
      both_participate: bothParticipate,
    });
  });
}

/** Builds the condition that a row has the values by which it takes part in a constraint. @param other returns the value of a column */
const keptValues = (
  table: Table,
  { columns }: Unique,
  row: string,
  other: (name: string) => string,
) =>
  `(${
    columns
      .map((name) => {
        const value = `${row}.${quoteIdentifier(name)}`;
        return sameInColumn(columnNamed(table, name), value, other(name));
      })
      .join(' AND ') || 'true'
  })`;

const acts = ({ onDelete, onUpdate }: ForeignKey) =>
  [onDelete, onUpdate].some((action) => action !== 'no action' && action !== 'restrict');

/** Lists the operations by which a row can leave a value to another row, so that children go on to refer to that one. */
function leftToOthers(foreignKey: ForeignKey): string {
  const waits = (event: ParentEvent) => actionOf(foreignKey, event) === 'no action';
  const ways = [
    ...(waits('delete') ? [`'D'`] : []),
    ...(eventsOfUpdate(foreignKey).some(waits) ? [`'U'`] : []),
  ];
  return ways.join(', ') || 'NULL';
}

/**
 * Builds an SQL condition: a row kept all values by which it takes part in a foreign key. With a key of single partitions, a row may move
 * to another one.
 * @param before returns the value that a column had
 */
const allParts = (
  { columns, partitions }: ForeignKeyEnd,
  row: string,
  before: (name: string) => string,
) =>
  `(${[...columns, ...(partitions?.columns ?? [])]
    .map((name) => same(`${row}.${quoteIdentifier(name)}`, before(name)))
    .join(' AND ')})`;

/** Builds the parts that all queries about a foreign key to the table share: its columns in pairs, and the rows x that left a value. */
function endsOf(table: Table, foreignKey: ForeignKey) {
  const columns = pairs(foreignKey).map((pair, index) => ({
    ...pair,
    value: `value_${index + 1}`,
  }));
  type Pair = (typeof columns)[number];
  const each = (text: (pair: Pair) => string) => columns.map(text).join(', ');
  const all = (text: (pair: Pair) => string) => columns.map(text).join(' AND ');
  const old = ({ parentName }: Pair) => `x.${oldColumnName(table, parentName)}`;
  const { child, parent } = foreignKey;
  const common = {
    parent_oid: table.oid,
    child_oid: child.oid,
    parent: shadowName(table),
    child: shadowName(child),
    x_values: each(
      (pair) =>
        `CASE WHEN x._stage_op = 'D' THEN x.${pair.parent} ELSE ${old(pair)} END AS ${pair.value}`,
    ),
    x_kept: allParts(parent, 'x', (name) => `x.${oldColumnName(table, name)}`),
  };
  return { common, each, all };
}

type Pair = Parameters<Parameters<ReturnType<typeof endsOf>['all']>[0]>[0];

const sharedForeignKey = (table: Table) => (foreignKey: ForeignKey) => {
  const { common, all } = endsOf(table, foreignKey);
  return fillSql(loadSql('table/approval/shared_foreign_key.sql'), {
    ...common,
    x_referred_to_by_q: all(({ value, equals, child }) => `x.${value} ${equals} q.${child}`),
  });
};

/**
 * Finds dependents by a foreign key to the table. Values of parents and children correspond by their positions in the key. The parent's
 * partition is not compared: rows that depend without need only stay together.
 */
const foreignKeyDependents = (table: Table) => (foreignKey: ForeignKey) => {
  const { child, parent } = foreignKey;
  const { common, each, all } = endsOf(table, foreignKey);
  const dependents = fillSql(loadSql('table/approval/dependents_foreign_key.sql'), {
    ...common,
    p_values: each((pair) => `p.${pair.parent} AS ${pair.value}`),
    p_same_as_base: allParts(parent, 'p', base),
    left_to_others: leftToOthers(foreignKey),
    base_values: each((pair) => `(f._stage_base).${pair.child} AS ${pair.value}`),
    q_same_as_base: allParts(child, 'q', base),
    b_referred_to_by_q:
      all((pair) => `b.${pair.value} ${pair.equals} q.${pair.child}`) + andWithin(child, 'q.'),
    b_equals_x: all(({ parentEquals, value }) => `b.${value} ${parentEquals} x.${value}`),
    x_referred_to_by_m: all(({ value, equals }) => `x.${value} ${equals} m.${value}`),
  });
  if (!acts(foreignKey)) return [dependents];
  const before = (pair: Pair) =>
    `CASE WHEN q._stage_op = 'D' THEN q.${pair.child} WHEN q._stage_first THEN (q._stage_base).${pair.child} ELSE lag(q.${pair.child}) OVER w END`;
  const actions = fillSql(loadSql('table/approval/dependents_action.sql'), {
    ...common,
    q_values: each((pair) => `${before(pair)} AS ${pair.value}`),
    x_referred_to_by_v: all(({ value, equals }) => `x.${value} ${equals} v.${value}`),
  });
  // guard: rows of foreign key actions are chosen with the row that caused them
  return [dependents, actions];
};

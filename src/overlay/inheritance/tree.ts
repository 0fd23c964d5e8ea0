/** The view of a table with those that inherit from it, and the functions that carry out changes of its rows. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  imageOf,
  isKeyless,
  keyMatches,
  productionName,
  productionRows,
  rowTypeName,
  shadowName,
  treeName,
} from '../object-names.ts';
import { isTombstone } from '../row-identity.ts';
import { afterTreeSql } from '../rows/after-statement.ts';
import { looksLike } from '../rows/keyless.ts';
import {
  overlayOptions,
  ownSession,
  policyTriggerSql,
  stagedRowIsVisible,
} from '../rows/policies.ts';
import { domainsTriggerSql, insertTriggersSql } from '../rows/triggers.ts';
import { sourceColumn, viewDefaultsSql } from '../rows/view.ts';
import type { TreeOperation } from './tree-row.ts';
import {
  assigned,
  isKeyInherited,
  treeRowName,
  treeRowSql,
  treeTouchedName,
  treeTouchedSql,
} from './tree-row.ts';

/** Builds the view with all its dependencies. The overlays of its members must exist. */
export function treeSql(table: Table, members: readonly Table[]): string {
  const hidings = members.map((member) => hidingOf(table, member));
  const columns = columnNames(table);
  const view = fillSql(loadSql('table/inheritance/tree.sql'), {
    source: functionName(table, 'tree_source'),
    column_definitions: table.columns
      .map(({ name, baseType }) => `${quoteIdentifier(name)} ${baseType}`)
      .join(', '),
    source_columns: table.columns.map(sourceColumn).join(', '),
    production: productionName(table),
    tree: treeName(table),
    view_options: overlayOptions(table),
    u_columns: columnList(columns, 'u.'),
    p_columns: columnList(columns, 'p.'),
    staged_rows: members
      .map(
        (member) =>
          `  UNION ALL SELECT ${columnList(columns, 's.')}, NULL, NULL, true, s._stage_session, s._stage_head, s._stage_op FROM ${shadowName(member)} s`,
      )
      .join('\n'),
    hidden: hidings.map(({ condition }) => condition).join('\n    '),
    own_session: ownSession(table),
    u_is_visible: stagedRowIsVisible(table, table),
  });
  return [...hidings.flatMap(({ script }) => script), view].join(';\n');
}

/** Builds the condition that a production row `u` of a member is hidden by staged rows. */
function hidingOf(table: Table, member: Table) {
  if (isKeyInherited(table, member)) {
    return {
      condition: `WHEN ${member.oid} THEN EXISTS (SELECT 1 FROM ${shadowName(member)} h
      WHERE h._stage_session = current_setting('stage.session')::uuid AND h._stage_head AND ${keyMatches(member, 'h.', 'u.')} OFFSET 0)`,
      script: [],
    };
  }
  const name = functionName(table, 'tree_hidden', member.oid);
  const image = imageOf(member, 'h.');
  const script = fillSql(loadSql('table/inheritance/tree_hidden.sql'), {
    function: name,
    shadow: shadowName(member),
    production: productionRows(member),
    ...(isKeyless(member)
      ? { p_is_hidden: looksLike(member, 'p.', 'h.', image), h_hides: ` AND ${isTombstone('h.')}` }
      : { p_is_hidden: `${keyMatches(member, 'p.', 'h.')} OFFSET 0`, h_hides: '' }),
  });
  const condition = `WHEN ${member.oid} THEN u._stage_place IN (SELECT h.place FROM ${name}() h(place))`;
  return { condition, script: [script] };
}

/** Builds the objects that make the view writable. All members must have overlays. */
export function treeTriggersSql(table: Table, members: readonly Table[], server: number): string[] {
  const view = treeName(table);
  return [
    ...viewDefaultsSql(table, view),
    ...insertTriggersSql(table, view),
    ...domainsTriggerSql(table, 'update', view),
    ...policyTriggerSql(table, view),
    ...members.map((member) => treeTouchedSql(table, member)),
    ...(['update', 'delete'] as const).flatMap((operation) => [
      ...members.map((member) => treeRowSql(table, member, operation)),
      ...changeSql(table, members, operation, server),
    ]),
  ];
}

/** Builds the functions that change rows of the tree and end the statement, with their triggers. */
function changeSql(
  table: Table,
  members: readonly Table[],
  operation: TreeOperation,
  server: number,
): string[] {
  const key = `${table.oid}_t${operation[0]}`;
  const columns = columnNames(table);
  const rows = operation === 'update' ? '_stage_v_old, _stage_v_new' : '_stage_v_old';
  const attempts = members.map((member, index) => {
    const attempt = `_stage_v_result := ${treeRowName(table, member, operation)}(${rows}, _stage_v_mutation, _stage_v_start);`;
    return index === 0
      ? `  ${attempt}`
      : `  IF NOT _stage_v_result.is_found THEN ${attempt} END IF;`;
  });
  const change = fillSql(loadSql('table/inheritance/tree_change.sql'), {
    function: functionName(table, `tree_change_${operation}`),
    operation: operation.toUpperCase(),
    oid: table.oid,
    key,
    parent_type: rowTypeName(table),
    old_row: columnList(columns, 'OLD.'),
    new_row:
      operation === 'update'
        ? `ROW(${columnList(columns, 'NEW.')})::${rowTypeName(table)}`
        : 'NULL',
    attempts: attempts.join('\n'),
    give_back: operation === 'update' ? givenBack(columns) : '    RETURN OLD;',
    was_touched: members
      .map(
        (member) =>
          `${treeTouchedName(table, member)}(_stage_v_old, _stage_v_mutation, _stage_v_start)`,
      )
      .join(' OR '),
  });
  const triggers = fillSql(loadSql('table/rows/triggers.sql'), {
    first_trigger: '',
    operation,
    oid: table.oid,
    overlay: treeName(table),
    key,
    // guard: rows of children are staged in their own tables
    members: `, '${operation.toUpperCase()}', '{${members.map(({ oid }) => oid).join(',')}}'`,
    row_function: functionName(table, `tree_change_${operation}`),
    after_function: functionName(table, `tree_after_${operation}`),
    // triggers of tables with parents or children do not fire while rows are staged
    after_triggers: '',
  });
  return [afterTreeSql(table, members, operation, key, server), change, triggers];
}

function givenBack(columns: readonly string[]): string {
  const values = columns.map(
    (name) => `    ${assigned('NEW.', '(_stage_v_result.changed).', name)}`,
  );
  return [...values, '    RETURN NEW;'].join('\n');
}

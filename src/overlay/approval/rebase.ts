/** The functions of a table that rebase staged rows on production's current rows. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { Table } from '../../model/table.ts';
import { followSql } from '../derived-columns.ts';
import {
  columnList,
  columnNames,
  functionName,
  isKeyless,
  oldColumns,
  rowTypeName,
  shadowName,
  sourceCall,
} from '../object-names.ts';
import {
  givenValue,
  keyColumns,
  keysEqual,
  oldKeyColumns,
  rowImage,
  same,
} from '../row-identity.ts';

const ofLineage = (alias: string) =>
  `${alias}._stage_session = p_session AND coalesce(${alias}._stage_root, ${alias}._stage_seq) = p_root`;

/** Builds `rebase_<oid>` and `rebegin_<oid>`; none for a table whose staged rows have no lineages. */
export function rebaseSql(table: Table): string {
  if (isKeyless(table) || table.isInherited) return '';
  return [valuesSql(table), beginningSql(table)].join(';\n');
}

/** Returns the values for both templates. */
const commonSql = (table: Table) => ({
  shadow: shadowName(table),
  source: sourceCall(table),
  row_type: rowTypeName(table),
  row_image: rowImage(table),
  p_columns: columnList(columnNames(table), 'p.'),
  s_columns: columnList(columnNames(table), 's.'),
  carry: followSql(table, ofLineage).join('\n'),
});

function beginningSql(table: Table): string {
  return fillSql(loadSql('table/approval/rebegin.sql'), {
    ...commonSql(table),
    rebegin: functionName(table, 'rebegin'),
    s_keeps_key: keysEqual(table, keyColumns(table, 's.'), keyColumns(table, 'f.')),
    p_matches_f: keysEqual(table, keyColumns(table, 'p.'), keyColumns(table, 'f.')),
    no_old: oldColumns(table)
      .map((_, index) => `_stage_old_${index + 1} = NULL`)
      .join(', '),
  });
}

function valuesSql(table: Table): string {
  const isKey = new Set(table.key.map(({ name }) => name));
  const moving = table.columns
    .filter(({ name, generated }) => generated === null && !isKey.has(name))
    .map(({ name }, index) => {
      const column = quoteIdentifier(name);
      const literal = quoteLiteral(name);
      const first = `c.first_${index + 1}`;
      const follows = `${literal} = ANY (p_theirs) OR ${first} IS NULL OR ${literal} = ANY (p_mine) AND s._stage_seq < ${first}`;
      const own = `(s._stage_given).${column}`;
      const isMade = `s._stage_given IS DISTINCT FROM NULL AND NOT ${same(`s.${column}`, own)} AND NOT coalesce(${literal} = ANY (p_theirs), false)`;
      return {
        name,
        set: `${column} = CASE WHEN ${isMade} THEN s.${column} WHEN ${follows} THEN n.${column} ELSE s.${column} END, `,
        given: `CASE WHEN ${follows} THEN n.${column} ELSE ${own} END`,
        // guard: a settled conflict is none any more
        base: `CASE WHEN ${literal} = ANY (p_theirs) OR ${literal} = ANY (p_mine) OR ${first} IS NULL THEN n.${column} ELSE b.${column} END`,
        first: `min(v._stage_seq) FILTER (WHERE v._stage_op = 'I' OR NOT ${same(givenValue('v', column), `b.${column}`)}) AS first_${index + 1}`,
      };
    });
  const bases = new Map(moving.map(({ name, base }) => [name, base]));
  const givens = new Map(moving.map(({ name, given }) => [name, given]));
  return fillSql(loadSql('table/approval/rebase.sql'), {
    ...commonSql(table),
    rebase: functionName(table, 'rebase'),
    p_matches_first: keysEqual(table, keyColumns(table, 'p.'), oldKeyColumns(table, 'f.')),
    set_columns: moving.map(({ set }) => set).join(''),
    given: columnNames(table)
      .map((name) => givens.get(name) ?? `(s._stage_given).${quoteIdentifier(name)}`)
      .join(', '),
    base: columnNames(table)
      .map((name) => bases.get(name) ?? `b.${quoteIdentifier(name)}`)
      .join(', '),
    first_changes: moving.map(({ first }) => first).join(', ') || 'NULL',
  });
}

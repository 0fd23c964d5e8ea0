/**
 * Builds the search of INSERT ... ON CONFLICT for the colliding row, with the service's rights. For a table with row-level security,
 * it is a trigger behind the check of the new row's policies, and reports only the index in which the rows collide, as PostgreSQL's own
 * error does; the statement then reads the row with the client's rights.
 */

import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteLiteral } from '../../identifier.ts';
import type { Table, Unique } from '../../model/table.ts';
import { columnList, columnNames, overlayName, upsertName } from '../object-names.ts';
import { raise } from '../raise.ts';
import { collides } from '../uniques.ts';
import type { NamedPartition } from './named-partition.ts';

/**
 * Returns the parts of the conflict view's functions that concern the colliding row.
 * @param partition set if the view stands for a partition, whose own policies then apply
 * @param parts the other parts: the names of the functions among them
 */
export function collidingRowParts(
  table: Table,
  partition: NamedPartition | null,
  parts: Readonly<Record<'collision' | 'search' | 'arbiters' | 'key' | 'proposed', string>>,
): Record<string, string> {
  const named = partition?.table ?? table;
  const row = `_stage_v_row ${upsertName(named)}`;
  if (named.policies === null) {
    return {
      ...{ reported: row, unreported: '', shows_row: 'true', is_free: '_stage_v_row IS NULL' },
      read_collision: `  _stage_v_collision := ${parts.collision}(${parts.proposed}, _stage_v_arbiters,
    _stage_v_conflict OPERATOR(pg_catalog.->>) 'action' OPERATOR(pg_catalog.=) 'update');\n`,
      find_row: '  _stage_v_row := _stage_v_collision._stage_v_row;\n',
      ...{ searching: '', begin_update: '', end_update: '' },
    };
  }
  const setting = (value: string) =>
    `    PERFORM pg_catalog.set_config('stage.resolves_${table.oid}', '${value}', true);\n`;
  return {
    ...{ reported: '_stage_v_index text', unreported: `  ${row};\n`, shows_row: 'false' },
    is_free: '_stage_v_collision._stage_v_index IS NULL',
    searching: fillSql(loadSql('table/rows/search_collision.sql'), {
      ...{ ...parts, oid: table.oid, upsert: upsertName(named) },
    }),
    read_collision: `  SELECT NEW AS new, CASE WHEN s.index OPERATOR(pg_catalog.<>) '' THEN s.index END AS _stage_v_index
    INTO _stage_v_collision FROM (SELECT pg_catalog.current_setting('stage.collides_${table.oid}')) s (index);\n`,
    find_row: visibleRow(table, named),
    begin_update: setting('on'),
    end_update: setting(''),
  };
}

/** Builds the search for the colliding row through the view of the client, by the index in which the rows collide. */
function visibleRow(table: Table, named: Table): string {
  const searches = table.uniques
    .filter(({ timing }) => timing === 'immediate')
    .map((unique) => {
      const found = isOfColumns(unique)
        ? `SELECT ${columnList(columnNames(named), 'o.')} INTO _stage_v_row FROM ${overlayName(named)} o WHERE ${collides(table, unique, '_stage_v_new.')} LIMIT 1;`
        : notSearched(named, unique);
      return `IF _stage_v_collision._stage_v_index OPERATOR(pg_catalog.=) ${quoteLiteral(unique.name)} THEN
      ${found}`;
    });
  if (searches.length === 0) return '';
  return fillSql(loadSql('table/rows/visible_row.sql'), {
    searches: `${searches.join('\n    ELS')}\n    END IF;`,
    table_name: quoteLiteral(named.name),
  });
}

/** Returns whether only columns make rows collide. Expressions and predicates may call functions that the client may not call. */
const isOfColumns = ({ elements, predicate }: Unique) =>
  predicate === null && elements.every(({ column }) => column !== null);

const notSearched = ({ name, schema }: Table, unique: Unique) =>
  raise({
    message: `cannot stage ON CONFLICT DO UPDATE of a row that collides in index "${unique.name}" of "${name}": the table has row-level security, and the index has expressions or a condition`,
    sqlstate: '0A000',
    schema,
    table: name,
    hint: 'Check whether the row exists, then send an INSERT or an UPDATE.',
  });

/** Fires triggers for INSERT ... ON CONFLICT: before it searches for the conflicting row, because triggers may change the key. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import { columnList, columnNames, rowTypeName, upsertName, upsertSchema } from '../object-names.ts';
import type { Operation } from '../rows/after-statement.ts';
import { madeRowName, madeRowSql } from '../rows/policies.ts';
import { firesBeforeAsOwner, mayFire } from './candidates.ts';
import { drawSql } from './draw.ts';
import { fireName, madeName } from './fire.ts';
import { givenRow, handedOn, namedArgument } from './fire-runs.ts';

/**
 * Builds the parts of the view's row function that concern triggers.
 * @param named the relation that the view stands for: the table, or a partition of it
 * @param fired the name of the function that fires them
 * @param written the columns that the client may set
 */
export function firingParts(
  table: Table,
  named: Table,
  fired: string,
  written: readonly string[],
): Record<string, string> {
  if (!mayFire(table, 'insert')) {
    return {
      ...{ fired_function: '', fired_variables: '', fire_triggers: '' },
      ...{ end_firing: '', hand_on_made: '', give_up: '', proposed: 'NEW' },
      given_columns: columnList(written, '_stage_v_new.'),
    };
  }
  const upsert = upsertName(named);
  const { oid } = table;
  const firesNew = fillSql(loadSql('table/triggers/upsert_function.sql'), {
    ...{ fired, upsert, row_type: rowTypeName(table) },
    fire: fireName(table, 'insert'),
    made: madeName(table, 'insert'),
    new_columns: columnList(columnNames(named), 'new.'),
    named: namedArgument(table, named),
  });
  const firedFunction = [...drawSql(named, upsert, table), firesNew].join(';\n');
  const given_columns = columnList(written, '_stage_v_given.');
  if (firesBeforeAsOwner(table, 'insert'))
    return {
      ...firstParts(table, named, runsSql(table, named, fired, firedFunction)),
      given_columns,
    };
  if (named.policies !== null)
    return {
      ...firstParts(table, named, firedFunction + firstSql(table, named, fired)),
      given_columns,
    };
  return {
    fired_function: firedFunction,
    fired_variables: `  _stage_v_fired pg_catalog.record;\n  _stage_v_given ${upsert};\n`,
    fire_triggers: fillSql(loadSql('table/triggers/upsert_fires.sql'), { fired, oid }),
    end_firing: `  PERFORM pg_catalog.set_config('stage.overriding_${oid}', _stage_v_overriding, true);\n`,
    hand_on_made: `    PERFORM pg_catalog.set_config('stage.made_${oid}', _stage_v_fired._stage_p_text, true);\n`,
    // guard: what triggers for INSERT write is not lost where the row in the way is updated
    give_up: `  IF NOT (_stage_v_row IS NULL) THEN PERFORM stage.give_up_row(${oid}::pg_catalog.oid); END IF;\n`,
    proposed: '_stage_v_new',
    given_columns,
  };
}

/** Builds the trigger that fires them for a table with policies: these apply to the row that triggers made. */
const firstSql = (table: Table, named: Table, fired: string) =>
  fillSql(loadSql('table/triggers/upsert_first.sql'), {
    ...{ fired, upsert: upsertName(named), oid: table.oid },
    function: `${fired}_first`,
    key: `${table.oid}_x`,
  });

const firedName = (named: Table) => `${upsertSchema(named)}.fired_${named.oid}`;

/** Builds the triggers before and behind those that fire where some run with their owners' rights. */
function runsSql(table: Table, named: Table, fired: string, firedFunction: string): string {
  const { oid } = table;
  const made_row = madeRowName(named);
  const made = fillSql(loadSql('table/triggers/upsert_made.sql'), {
    ...{ function: `${fired}_first`, upsert: upsertName(named), oid, made_row },
  });
  // the trigger of the policies has made the function
  const parts = named.policies === null ? [madeRowSql(named, table)] : [];
  // those of a partition are there whether or not they fire
  const fires = named.oid !== table.oid;
  return `${[firedFunction, ...parts, ...firedUpsertSql(table, named, 'insert', fires)].join(';\n')};\n${made}`;
}

/** Builds the function that begins to fire those of an operation for an upsert; none without such a view. @param fires whether they do */
export function firedUpsertSql(
  table: Table,
  named: Table,
  operation: Operation,
  fires: boolean,
): string[] {
  if (operation !== 'insert' || !firesBeforeAsOwner(table, operation)) return [];
  const { oid } = table;
  const fired = `${fireName(table, 'insert')}(ROW(${givenRow(named)}), NULL${namedArgument(table, named)})`;
  return [
    fillSql(loadSql('table/triggers/upsert_runs.sql'), {
      ...{ function: `${firedName(named)}_first`, oid, key: `${oid}_x` },
      first: handedOn(table, 'insert', fired, !fires),
      next: fires ? 'run' : 'made',
    }),
  ];
}

/**
 * Builds the parts for a table some of whose triggers, or policies, come before the search for the conflicting row.
 * @param fired_function the functions and triggers that fire them
 */
function firstParts(table: Table, named: Table, fired_function: string) {
  const { oid } = table;
  const upsert = upsertName(named);
  const set = (name: string, at: number) =>
    `PERFORM pg_catalog.set_config('stage.${name}_${oid}', _stage_v_fired OPERATOR(pg_catalog.->>) ${at}, true);\n`;
  return {
    fired_function,
    fired_variables: `  _stage_v_fired pg_catalog.jsonb := pg_catalog.current_setting('stage.first_${oid}');\n  _stage_v_given ${upsert};\n`,
    fire_triggers: `  _stage_v_given := ${madeRowName(named)}(_stage_v_fired OPERATOR(pg_catalog.->>) 1);\n`,
    end_firing: `  ${set('overriding', 2)}`,
    hand_on_made: `    ${set('made', 0)}`,
    give_up: `  IF ${named.policies === null ? 'NOT (_stage_v_row IS NULL)' : '_stage_v_collision._stage_v_index IS NOT NULL'} THEN PERFORM stage.give_up_row(${oid}::pg_catalog.oid); END IF;\n`,
    proposed: 'NEW',
  };
}

/** Fires triggers for INSERT ... ON CONFLICT: before it searches for the conflicting row, because triggers may change the key. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import { columnList, columnNames, rowTypeName, upsertName } from '../object-names.ts';
import { prepareGiven } from '../rows/row-checks.ts';
import { mayFire } from './candidates.ts';
import { fireName, madeName } from './fire.ts';

/**
 * Builds the parts of the view's row function that concern triggers.
 * @param fired the name of the function that fires them
 * @param written the columns that the client may set
 */
export function firingParts(
  table: Table,
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
  const row_type = rowTypeName(table);
  const upsert = upsertName(table);
  return {
    fired_function: fillSql(loadSql('table/triggers/upsert_function.sql'), {
      ...{ fired, upsert, row_type },
      fire: fireName(table, 'insert'),
      made: madeName(table, 'insert'),
      prepare: prepareGiven(table, 'insert'),
      new_columns: columnList(columnNames(table), 'new.'),
    }),
    fired_variables: `  _stage_v_fired pg_catalog.record;\n  _stage_v_given ${upsert};\n`,
    fire_triggers: fillSql(loadSql('table/triggers/upsert_fires.sql'), { fired, oid: table.oid }),
    end_firing: `  PERFORM pg_catalog.set_config('stage.overriding_${table.oid}', _stage_v_overriding, true);\n`,
    hand_on_made: `    PERFORM pg_catalog.set_config('stage.made_${table.oid}', _stage_v_fired._stage_p_text, true);\n`,
    // guard: what triggers for INSERT write is not lost where the row in the way is updated
    give_up: `  IF NOT (_stage_v_row IS NULL) THEN PERFORM stage.give_up_row(${table.oid}::pg_catalog.oid); END IF;\n`,
    proposed: '_stage_v_new',
    given_columns: columnList(written, '_stage_v_given.'),
  };
}

/** Fills the identity columns of a new row before triggers fire for it. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import { functionName } from '../object-names.ts';
import { prepareGiven } from '../rows/row-checks.ts';

/** The trigger of a view: its name sorts before those of the triggers that fire. */
export const drawTrigger = 'draw_insert';

/** Builds the function that fills the columns, and the trigger of a view that calls it; none if nothing is to be filled. */
export function drawSql(table: Table, view: string): string[] {
  const prepare = prepareGiven(table, 'insert');
  if (prepare === '') return [];
  const name = functionName(table, drawTrigger);
  return [
    fillSql(loadSql('table/triggers/draw.sql'), { function: name, oid: table.oid, prepare }),
    `CREATE OR REPLACE TRIGGER ${drawTrigger} INSTEAD OF INSERT ON ${view} FOR EACH ROW EXECUTE FUNCTION ${name}()`,
  ];
}

/** Fills the identity columns of a new row before triggers fire for it, and before policies apply to it. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import { functionName } from '../object-names.ts';
import { isDrawnFirst, prepareGiven } from '../rows/row-checks.ts';

/** The trigger of a view: its name sorts before those of the triggers that fire. */
export const drawTrigger = 'draw_insert';

/**
 * Builds the function that fills the columns, and the trigger of a view that calls it; none if nothing is to be filled, and for a table for
 * which the overlay has them in any case.
 * @param staged the table in which the row is staged; `table` may be a partition of it
 */
export const drawSql = (table: Table, view: string, staged: Table): string[] =>
  isDrawnFirst(table) || prepareGiven(table, 'insert') === ''
    ? []
    : [drawFunctionSql(table, staged), drawTriggerSql(table, view)];

/** Builds the function alone. */
export const drawFunctionSql = (table: Table, staged: Table): string =>
  fillSql(loadSql('table/triggers/draw.sql'), {
    function: drawName(table),
    oid: staged.oid,
    prepare: prepareGiven(table, 'insert', staged),
  });

/** Builds the trigger of a view that calls the function. */
export const drawTriggerSql = (table: Table, view: string): string =>
  `CREATE OR REPLACE TRIGGER ${drawTrigger} INSTEAD OF INSERT ON ${view} FOR EACH ROW EXECUTE FUNCTION ${drawName(table)}()`;

const drawName = (table: Table) => functionName(table, drawTrigger);

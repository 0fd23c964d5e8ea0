/** A diff for spreadsheets: one line a changed cell, so that rows of all tables have the same columns. */
import { keyCell } from '../../client/cell.ts';
import { csvLine, csvText, csvValue } from '../output/csv.ts';
import type { DiffFormat } from './format.ts';
import { cellsOf, isChanged } from './format.ts';

const columns = csvLine(['table', 'operation', 'row', 'column', 'before', 'after']);

/** Creates the form. A side that has no row or no such column is empty, as NULL is. */
export function createCsvFormat(): DiffFormat {
  let begun = false;
  const begin = () => {
    const heading = begun ? '' : columns;
    begun = true;
    return heading;
  };
  return {
    change: (change) => {
      const row = [csvText(change.table), change.type, csvText(keyCell(change.rowId))];
      const lines = cellsOf(change)
        .filter(isChanged)
        .map(({ name, before, after }) =>
          csvLine([...row, csvText(name), csvValue(before), csvValue(after)]),
        );
      return begin() + lines.join('');
    },
    end: begin,
  };
}

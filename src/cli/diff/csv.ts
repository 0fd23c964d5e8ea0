/** A diff for spreadsheets: one line per changed cell, so that all tables share the same columns. */
import { keyCell } from '../../client/cell.ts';
import { csvLine, csvText, csvValue } from '../output/csv.ts';
import type { DiffFormat } from './format.ts';
import { cellsOf, isChanged } from './format.ts';

const columns = csvLine(['table', 'operation', 'row', 'column', 'before', 'after']);

/** Creates the format. A side without the row or the column is empty, like NULL. */
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

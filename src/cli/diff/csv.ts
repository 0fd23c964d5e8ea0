/** A diff for spreadsheets: one line per changed cell, so that all tables share the same columns. */
import { keyCell } from '../../client/cell.ts';
import type { DiffReader, ReadChange } from '../../client/diff-reader.ts';
import { membersOf } from '../../model/json-members.ts';
import { csvLine, csvText, csvValue } from '../output/csv.ts';
import type { DiffFormat } from './format.ts';
import { cellsOf, isChanged } from './format.ts';
import { walkedFormat } from './table-walk.ts';

const columns = csvLine(['table', 'operation', 'row', 'column', 'before', 'after']);

/**
 * Creates the format. A side without the row or the column is empty, like NULL. The last record has `end` as its operation, the number of
 * changes and the digest: without it the output was cut.
 */
export function createCsvFormat(reader: DiffReader): DiffFormat {
  return walkedFormat(reader, {
    head: columns,
    row: (change) => {
      const row = [csvText(change.table), change.type, rowField(change)];
      return cellsOf(change)
        .filter(isChanged)
        .map(({ name, before, after }) =>
          csvLine([...row, csvText(name), csvValue(before), csvValue(after)]),
        )
        .join('');
    },
    end: ({ shown }) => csvLine(['', 'end', '', '', String(shown), reader.digest ?? '']),
  });
}

/** Formats the key of a row. That of one column looks as the column's value does, so that the two can be joined. */
function rowField({ rowId }: ReadChange): string {
  return membersOf(rowId).size === 0 ? csvValue({ json: rowId }) : csvText(keyCell(rowId));
}

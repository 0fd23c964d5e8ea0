/** A diff as JSON: the document of the REST interface, or one change per line. */
import type { DiffReader } from '../../client/diff-reader.ts';
import { safeJson } from '../../client/sanitize.ts';
import type { JsonText } from '../../model/json.ts';
import { stringifyJson } from '../../model/json.ts';
import type { DiffFormat } from './format.ts';
import { walkedFormat } from './table-walk.ts';

/** Creates the format of one document. If changes were left out, it omits tables whose net changes were all left out. */
export function createJsonFormat(reader: DiffReader): DiffFormat {
  let [betweenTables, betweenChanges] = ['', ''];
  const open = (table: string) => {
    const members = [...membersOf(reader.tables.get(table) ?? []), '"changes":['].join(',');
    const text = safeJson(`${betweenTables}${JSON.stringify(table)}:{${members}`);
    [betweenTables, betweenChanges] = [',', ''];
    return text;
  };
  let begun = false;
  const begin = () => {
    const text = begun ? '' : safeJson(headText(reader));
    begun = true;
    return text;
  };
  return walkedFormat(reader, {
    open: (table) => begin() + open(table),
    row: ({ json }) => {
      const text = safeJson(betweenChanges + json.text);
      betweenChanges = ',';
      return text;
    },
    close: () => ']}',
    passed: ({ table }) => `${begin()}${open(table)}]}`,
    end: () => `${begin()}${safeJson(tailText(reader))}}\n`,
  });
}

function headText({ head }: DiffReader): string {
  return `{${[...membersOf(head), '"tables":{'].join(',')}`;
}

function tailText({ tail }: DiffReader): string {
  return ['}', ...membersOf(tail)].join(',');
}

function membersOf(members: Iterable<readonly [string, JsonText]>): string[] {
  return [...members].map(([name, value]) => `${JSON.stringify(name)}:${value.text}`);
}

/** Creates the format with one change per line, and the line that ends it. */
export function createJsonLinesFormat(reader: DiffReader): DiffFormat {
  return walkedFormat(reader, {
    row: ({ table, type, rowId, before, after, texts }) =>
      `${safeJson(stringifyJson({ table, type, row_id: rowId, before, after, texts }))}\n`,
    end: ({ shown }) => endLine(shown, reader.digest),
  });
}

/**
 * Returns the last line of changes that were written line by line: without it the output was cut.
 * @param changes the number of lines before it
 * @param digest null if the diff was not read to its end
 */
export const endLine = (changes: number, digest: string | null) =>
  `${stringifyJson({ end: true, changes, digest })}\n`;

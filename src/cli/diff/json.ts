/** A diff as JSON: the document of the REST interface, or one change per line. */
import type { DiffReader, ReadChange } from '../../client/diff-reader.ts';
import { safeJson } from '../../client/sanitize.ts';
import type { JsonText } from '../../model/json.ts';
import { stringifyJson } from '../../model/json.ts';
import type { DiffFormat } from './format.ts';
import { passedTables } from './format.ts';

/** Creates the format of one document. If changes were left out, it omits tables whose net changes were all left out. */
export function createJsonFormat(reader: DiffReader): DiffFormat {
  let table: string | null = null;
  const open = (name: string) =>
    `${JSON.stringify(name)}:{${[...membersOf(reader.tables.get(name) ?? []), '"changes":['].join(',')}`;
  const turnTo = (next: string | null): string => {
    const opening = table === null ? headText(reader) : ']}';
    const tables = passedTables(reader, table, next).map((passed) => `${open(passed.table)}]}`);
    if (next !== null) tables.push(open(next));
    const isFirst = table === null;
    table = next;
    return opening + (isFirst || tables.length === 0 ? '' : ',') + tables.join(',');
  };
  return {
    change: ({ table: name, json }: ReadChange) =>
      safeJson((name === table ? ',' : turnTo(name)) + json.text),
    end: () => `${safeJson(turnTo(null) + tailText(reader))}}\n`,
  };
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
  return {
    change: ({ table, type, rowId, before, after, texts }) =>
      `${safeJson(stringifyJson({ table, type, row_id: rowId, before, after, texts }))}\n`,
    end: ({ shown }) => endLine(shown, reader.digest),
  };
}

/**
 * Returns the last line of changes that were written line by line: without it the output was cut.
 * @param changes the number of lines before it
 * @param digest null if the diff was not read to its end
 */
export const endLine = (changes: number, digest: string | null) =>
  `${stringifyJson({ end: true, changes, digest })}\n`;

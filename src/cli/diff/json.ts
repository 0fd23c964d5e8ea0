/** A diff as JSON: the document that REST answers, or one change a line. */
import type { DiffReader, ReadChange } from '../../client/diff-reader.ts';
import { safeJson } from '../../client/sanitize.ts';
import type { JsonText } from '../../model/json.ts';
import { stringifyJson } from '../../model/json.ts';
import type { DiffFormat } from './format.ts';

/** Creates the form of one document. Where changes were left out, it has only tables that have some. */
export function createJsonFormat(reader: DiffReader): DiffFormat {
  let table: string | null = null;
  const begin = (next: string): string => {
    const opening = table === null ? headText(reader) : ']},';
    table = next;
    const members = membersText(reader.tables.get(next) ?? []);
    return `${opening}${JSON.stringify(next)}:{${members}"changes":[`;
  };
  return {
    change: ({ table: name, json }: ReadChange) =>
      safeJson((name === table ? ',' : begin(name)) + json.text),
    end: () => (table === null ? `${safeJson(headText(reader))}}}\n` : ']}}}\n'),
  };
}

function headText({ head }: DiffReader): string {
  return `{${membersText(head)}"tables":{`;
}

function membersText(members: Iterable<readonly [string, JsonText]>): string {
  return [...members].map(([name, value]) => `${JSON.stringify(name)}:${value.text},`).join('');
}

/** Creates the form of one line a change. */
export function createJsonLinesFormat(): DiffFormat {
  return {
    change: ({ table, type, rowId, before, after }) =>
      `${safeJson(stringifyJson({ table, type, row_id: rowId, before, after }))}\n`,
    end: () => '',
  };
}

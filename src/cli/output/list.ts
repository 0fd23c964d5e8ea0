/** Writes lists that come in pages: any number of items, in any format. */

import type { ListPaging } from '../../client/filters.ts';
import type { Page } from '../../client/responses.ts';
import { nextPlace } from '../../client/responses.ts';
import { safeJson } from '../../client/sanitize.ts';
import type { Reply } from '../../client/service-client.ts';
import { JsonText } from '../../model/json.ts';
import { elementsOf, membersOf } from '../../model/json-members.ts';
import { chosenOutput } from '../arguments/output-option.ts';
import type { Context } from '../context.ts';
import type { SharedOptions } from '../settings.ts';
import type { Paint } from './colour.ts';
import type { Output } from './output.ts';
import type { TableColumn } from './table.ts';
import { createRowsWriter } from './table.ts';

export const listOutputs = ['table', 'tsv', 'json', 'jsonl', 'csv', 'markdown'] as const;
export type ListOutput = (typeof listOutputs)[number];

export interface ListOptions {
  readonly output?: ListOutput;
  readonly limit?: number;
  readonly offset?: number;
  readonly cursor?: string;
  readonly all?: true;
}

/** A list: the format of its items, and the member of the response's JSON that contains them. */
export interface List<T> {
  readonly columns: readonly TableColumn[];
  readonly row: (item: T) => readonly string[];
  readonly member: string;
  /** The remark when there are no items. */
  readonly none?: string;
  readonly fetch: (page: ListPaging) => Promise<Reply<Page<T>>>;
}

/** Returns a page that is the whole list. */
export const wholeList = <T>(items: readonly T[]): Page<T> => ({
  items,
  totalCount: items.length,
  hasMore: false,
  nextCursor: null,
});

/** The largest page that the daemon returns, in items. */
const largestPage = 1000;
const usualLimit = 100;

/** Writes a list page by page. */
export async function showList<T>(
  { out }: Context,
  options: ListOptions & SharedOptions,
  list: List<T>,
): Promise<void> {
  const { offset = 0, cursor, all } = options;
  const limit = all ? Number.POSITIVE_INFINITY : (options.limit ?? usualLimit);
  const form = chosenOutput(options) ?? (out.terminal ? 'table' : 'tsv');
  const write = createPageWriter(form, list, out.paint);
  let place: ListPaging = cursor === undefined ? { offset } : { offset, cursor };
  for (let seen = 0; ; ) {
    const size = Math.min(largestPage, limit - seen);
    const reply = await list.fetch({ ...place, limit: size });
    const { items, totalCount, hasMore } = reply.value;
    seen += items.length;
    const last = !hasMore || items.length === 0 || seen >= limit;
    if (totalCount > 0 || form !== 'table') await out.write(write(reply, last));
    if (!last) {
      place = nextPlace(reply.value, offset + seen);
      continue;
    }
    if (totalCount === 0) return out.remark(list.none ?? 'The list is empty.');
    return reportRest(out, options, seen, reply.value);
  }
}

type WritePage<T> = (reply: Reply<Page<T>>, last: boolean) => string;

function createPageWriter<T>(
  form: ListOutput,
  { columns, row, member }: List<T>,
  paint: Paint,
): WritePage<T> {
  switch (form) {
    case 'json':
      return jsonPages(member);
    case 'jsonl':
      return ({ body }) =>
        itemsOf(body, member)
          .map((item) => `${safeJson(item.text)}\n`)
          .join('');
    default: {
      const write = createRowsWriter(form, columns, paint);
      return ({ value }) => write(value.items.map(row));
    }
  }
}

/** Writes one document of all pages: a single page unchanged; of several, all items and the other members of the first and last page. */
function jsonPages<T>(member: string): WritePage<T> {
  let begun = false;
  return ({ body }, last) => {
    const members = [...membersOf(new JsonText(body))];
    const place = members.findIndex(([name]) => name === member);
    const text = members.map(([name, value]) => `${JSON.stringify(name)}:${value.text}`);
    const items = itemsOf(body, member).map((item) => item.text);
    const opening = `{${[...text.slice(0, place), `${JSON.stringify(member)}:[`].join(',')}`;
    const closing = `${[']', ...text.slice(place + 1)].join(',')}}\n`;
    const start = begun ? (items.length > 0 ? ',' : '') : opening;
    begun = true;
    return safeJson(start + items.join(',') + (last ? closing : ''));
  };
}

function itemsOf(body: string, member: string): readonly JsonText[] {
  return elementsOf(membersOf(new JsonText(body)).get(member) ?? new JsonText('[]'));
}

/** Reports that a list continues: to a person, and to a pipe if neither --limit nor a JSON document accounts for it. */
async function reportRest(
  out: Output,
  { limit, offset = 0, cursor }: ListOptions,
  seen: number,
  { totalCount, hasMore, nextCursor }: Page<unknown>,
): Promise<void> {
  if (seen === 0 || !hasMore) return;
  const end = offset + seen;
  const text =
    cursor === undefined
      ? `${offset + 1} to ${end} of ${totalCount}; continue with --offset ${end}, or see --all`
      : `${seen} of ${totalCount}; continue with --cursor ${nextCursor}, or see --all`;
  if (out.terminal || limit !== undefined || out.json) await out.remark(text);
  else await out.advise(text);
}

/** Pages of lists, each behind the last item of the page before it, whatever is inserted meanwhile. */

export interface PageFilter {
  readonly limit: number;
  /** Number of items to skip. */
  readonly offset: number;
  /** The values by which the list is sorted, of the item behind which the page begins; absent for the first page. */
  readonly after?: readonly string[] | null;
}

/** Returns how many rows to read for a page: one more than it shows, which reveals whether the list continues. */
export const rowsFor = ({ limit }: PageFilter): number => limit + 1;

/** Cuts the rows that were read to those of the page. A page without items has no next one. */
export function cutTo<Row>(
  { limit }: PageFilter,
  rows: readonly Row[],
): { readonly rows: readonly Row[]; readonly hasMore: boolean } {
  return { rows: rows.slice(0, limit), hasMore: limit > 0 && rows.length > limit };
}

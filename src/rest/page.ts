/** Paging of lists. */

/** Checks whether a list continues behind a page that begins at the offset. */
export function hasMore(offset: number, page: readonly unknown[], totalCount: number): boolean {
  return page.length > 0 && offset + page.length < totalCount;
}

/** The columns that each table of PostgreSQL has besides its own. */
export const systemColumns: ReadonlySet<string> = new Set([
  'ctid',
  'tableoid',
  'xmin',
  'xmax',
  'cmin',
  'cmax',
]);

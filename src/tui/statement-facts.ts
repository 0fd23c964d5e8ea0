/** The facts of a statement for a reviewer's first glance, derived from the tree of a parser that is used only for display. */

export interface StatementFacts {
  /** The columns that the statement writes explicitly; empty if it names none. */
  readonly columns: readonly string[];
  /** Whether it is an UPDATE or DELETE of every row. */
  readonly noWhere: boolean;
  /** Whether the parser understood the statement. It supports less of PostgreSQL's SQL than the proxy does. */
  readonly understood: boolean;
}

export const noFacts: StatementFacts = { columns: [], noWhere: false, understood: false };

/** The used parts of a statement's tree. */
interface Tree {
  readonly type?: unknown;
  readonly where?: unknown;
  readonly set?: unknown;
  readonly columns?: unknown;
}

/** Derives the facts from a statement's tree. */
export function statementFactsOf(tree: unknown): StatementFacts {
  const statement = (Array.isArray(tree) ? tree[0] : tree) as Tree | null | undefined;
  const { type, where, set, columns } = statement ?? {};
  if (type === 'insert') return { columns: namesOf(columns), noWhere: false, understood: true };
  const noWhere = where === null || where === undefined;
  if (type === 'delete') return { columns: [], noWhere, understood: true };
  if (type !== 'update') return noFacts;
  const targets = Array.isArray(set) ? set.map((item: { column?: unknown }) => item.column) : [];
  return { columns: namesOf(targets), noWhere, understood: true };
}

function namesOf(columns: unknown): string[] {
  if (!Array.isArray(columns)) return [];
  return columns.flatMap((column) => {
    const name = column?.expr?.value ?? column?.value ?? column;
    return typeof name === 'string' ? [name] : [];
  });
}

/** Joins steps of one statement in one again, where they may hold only together: PostgreSQL checks foreign keys at its end. */

/** More do not go into one statement: PostgreSQL plans each of them. */
const mostParts = 1000;

export interface Part {
  readonly sql: string;
  readonly table: string;
  /** A foreign key leads from the table to itself, and cannot be deferred. */
  readonly referencesItself: boolean;
  /** Rows that it finds, or leaves: a statement changes each but once. */
  readonly rows: readonly string[];
}

export interface Statements {
  /** Takes the next step, of a statement if that is known, and gives what is complete before it. */
  add(statement: string | null, part: Part): string;
  /** Gives what is left. */
  end(): string;
}

export function createStatements(): Statements {
  let current: string | null = null;
  let parts: Part[] = [];
  let rows = new Set<string>();
  const end = () => {
    const text = textOf(parts);
    parts = [];
    rows = new Set();
    return text;
  };
  return {
    add: (statement, part) => {
      const goesOn =
        statement !== null &&
        statement === current &&
        parts.length < mostParts &&
        !part.rows.some((row) => rows.has(row));
      const before = goesOn ? '' : end();
      current = statement;
      parts.push(part);
      for (const row of part.rows) rows.add(row);
      return before;
    },
    end,
  };
}

function textOf(parts: readonly Part[]): string {
  const tables = new Set(parts.map(({ table }) => table));
  const areTied = tables.size > 1 || parts.some(({ referencesItself }) => referencesItself);
  if (parts.length < 2 || !areTied) return parts.map(({ sql }) => `${sql};\n`).join('');
  // parts that nothing refers to run in their order, behind the SELECT
  const list = parts.map(({ sql }, index) => `  s${index + 1} AS (${sql})`);
  return `WITH\n${list.join(',\n')}\nSELECT;\n`;
}

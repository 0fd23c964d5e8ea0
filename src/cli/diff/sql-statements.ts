/** Combines the steps of one statement into one again: they may be valid only together, as PostgreSQL checks foreign keys at its end. */

/** The maximum number of parts of one statement, as PostgreSQL plans each of them. */
const mostParts = 1000;

export interface Part {
  readonly sql: string;
  readonly table: string;
  /** Whether a foreign key that cannot be deferred leads from the table to itself. */
  readonly referencesItself: boolean;
  /** The rows that it finds or leaves. A statement can change each row only once. */
  readonly rows: readonly string[];
}

export interface Statements {
  /** Adds the next step and returns the SQL that is complete before it. @param statement its statement's number; null if unknown */
  add(statement: string | null, part: Part): string;
  /** Returns the remaining SQL. */
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
  // PostgreSQL runs CTEs that nothing references in their order, after the SELECT
  const list = parts.map(({ sql }, index) => `  s${index + 1} AS (${sql})`);
  return `WITH\n${list.join(',\n')}\nSELECT;\n`;
}

/** Quoting for SQL that we generate. Identifiers are always quoted: `by` or `end` unquoted would break generated PL/pgSQL. */

/** Quotes a name as an SQL identifier. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text as an SQL string literal, valid whatever standard_conforming_strings says. */
export function quoteLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

/** Quotes a schema and a name as one qualified name. */
export function qualifiedName(schema: string, name: string): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
}

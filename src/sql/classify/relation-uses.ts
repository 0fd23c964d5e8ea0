/** Locates the names of relations in a statement's text, and verifies them against the parse tree. */
import type { ColumnRef, FuncCall, Node, RangeVar } from 'libpg-query';
import { readName } from '../parser/identifier-reader.ts';
import { textsOf } from '../parser/syntax-tree.ts';
import type { CallPlace, Qualifier, RelationUse } from '../places.ts';

/** A statement's own text, and its start in the query string, from which the parse tree counts. */
export interface Source {
  readonly text: Buffer;
  readonly offset: number;
}

/**
 * Returns a relation's name as it is written, and its place; null if the text does not have the parse tree's name there. The server cuts
 * the name to 63 bytes in the encoding of its database, which need not be where the parser cuts it.
 */
export function locateRelation(
  range: RangeVar,
  source: Source,
  target: RelationUse['target'],
): RelationUse | null {
  const { catalogname, schemaname, relname } = range;
  const names = [catalogname, schemaname, relname].filter((name) => name !== undefined);
  const parts = locate(names, range.location, source);
  const first = parts?.[catalogname === undefined ? 0 : 1];
  const last = parts?.at(-1);
  if (!first || !last || relname === undefined) return null;
  return {
    schema: schemaname === undefined ? null : (parts?.at(-2)?.name ?? null),
    name: last.name,
    start: first.start,
    end: last.end,
    only: range.inh !== true,
    target,
  };
}

/** Returns the name by which a statement refers to a relation in its FROM. */
export const aliasOf = ({ alias, relname }: RangeVar): string | undefined =>
  alias?.aliasname ?? relname;

/** Returns the relations in a part of FROM that can qualify columns: those outside of sub-selects and of joins with an alias. */
export function rangesOf(node: Node): RangeVar[] {
  if ('RangeVar' in node) return [node.RangeVar];
  if (!('JoinExpr' in node) || node.JoinExpr.alias !== undefined) return [];
  const { larg, rarg } = node.JoinExpr;
  return [larg, rarg].flatMap((side) => (side === undefined ? [] : rangesOf(side)));
}

/**
 * Returns the place of the schema in `schema.table.column` or `database.schema.table.column`.
 * @returns undefined for a column reference without a schema, null if the text does not match the parse tree
 */
export function locateQualifier(column: ColumnRef, source: Source): Qualifier | null | undefined {
  const fields = column.fields ?? [];
  if (fields.length !== 3 && fields.length !== 4) return undefined;
  const names = textsOf(fields.slice(0, -1));
  const [schema, name] = names.slice(-2);
  const [schemaPart, tablePart] = locate(names, column.location, source)?.slice(-2) ?? [];
  if (!schemaPart || !tablePart || schema === undefined || name === undefined) return null;
  const [written, table] = [schemaPart.name, tablePart.name];
  return { schema: written, name: table, start: schemaPart.start, end: tablePart.start };
}

/** Returns the place of a function's name; null for a call by special syntax. */
export function locateCall({ funcname, location }: FuncCall, source: Source): CallPlace | null {
  const names = textsOf(funcname);
  const parts = names.length < 3 ? locate(names, location, source) : null;
  const [first, name] = [parts?.[0], names.at(-1)];
  if (!first || name === undefined) return null;
  const end = parts?.at(-1)?.end ?? first.end;
  return { schema: names.at(-2) ?? null, name, start: first.start, end };
}

/** Returns the parts of a name as they are written; null if the text does not have the parse tree's name there. */
export function locate(names: readonly string[], location: number | undefined, source: Source) {
  const parts = readName(source.text, (location ?? 0) - source.offset, names.length);
  return parts?.every((part, index) => isSameName(part.name, names[index] ?? '')) ? parts : null;
}

/** Returns whether a written name was parsed as the given one: the parser truncates names to 63 bytes, as PostgreSQL does. */
export function isSameName(written: string, parsed: string): boolean {
  if (written === parsed) return true;
  return (
    Buffer.byteLength(written) > 63 && Buffer.byteLength(parsed) > 59 && written.startsWith(parsed)
  );
}

/** Returns places in text order. */
export function inOrder<T extends { readonly start: number }>(uses: ReadonlyMap<number, T>): T[] {
  return [...uses.values()].sort((one, other) => one.start - other.start);
}

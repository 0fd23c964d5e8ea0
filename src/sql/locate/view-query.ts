/** Splits the definition of an automatically updatable view into its parts: `SELECT expressions FROM relation [WHERE condition]`. */
import type { ColumnRef, RangeVar, SelectStmt } from 'libpg-query';
import { locateRelation } from '../classify/relation-uses.ts';
import { readName } from '../parser/identifier-reader.ts';
import { parseTree } from '../parser/parser.ts';
import { collectNodes, textsOf } from '../parser/syntax-tree.ts';
import { Tokens } from '../parser/tokens.ts';
import type { ByteRange } from '../splice.ts';
import { spliceBytes } from '../splice.ts';

export interface ViewQuery {
  readonly targets: readonly ViewTarget[];
  /** The relation with its schema, as written. */
  readonly source: string;
  /** The name by which expressions refer to the relation, and the column aliases if there are any. */
  readonly alias: string;
  readonly aliasColumns: readonly string[];
  readonly where: string | null;
}

interface ViewTarget {
  readonly expression: string;
  /** The column of the relation if the expression is just that; null for any other expression. */
  readonly column: string | null;
}

/** Parses a definition as PostgreSQL prints it; null if it has another form. */
export function readViewQuery(text: Buffer): ViewQuery | null {
  const select = selectOf(text);
  const [from, ...more] = select?.fromClause ?? [];
  if (!select || !from || !('RangeVar' in from) || more.length > 0) return null;
  const tokens = Tokens.of(text);
  const [selectAt, fromAt, whereAt, end] = clauses(tokens);
  const expressions = tokens.elements(selectAt, fromAt);
  const targets = (select.targetList ?? []).flatMap((node, index) => {
    const element = expressions[index];
    if (!('ResTarget' in node) || element === undefined) return [];
    const { name, val } = node.ResTarget;
    // `expression AS name`
    const behind = element.to - (name === undefined ? 0 : 2);
    const column = val !== undefined && 'ColumnRef' in val ? columnOf(val.ColumnRef) : null;
    return [{ expression: textOf(text, tokens.range(element.from, behind)), column }];
  });
  if (targets.length !== expressions.length) return null;
  const isFiltered = select.whereClause !== undefined;
  const source = locateRelation(from.RangeVar, { text, offset: 0 }, null);
  if (source === null) return null;
  return {
    targets,
    source: text.subarray(source.start, source.end).toString(),
    ...aliasOf(from.RangeVar),
    where: isFiltered ? textOf(text, tokens.range(whereAt + 1, end)) : null,
  };
}

function selectOf(text: Buffer): SelectStmt | null {
  const statement = parseTree(text).stmts?.[0]?.stmt;
  return statement && 'SelectStmt' in statement ? statement.SelectStmt : null;
}

function aliasOf({ relname = '', alias }: RangeVar): Pick<ViewQuery, 'alias' | 'aliasColumns'> {
  return { alias: alias?.aliasname ?? relname, aliasColumns: textsOf(alias?.colnames) };
}

function columnOf({ fields = [] }: ColumnRef): string | null {
  const names = textsOf(fields);
  return names.length === fields.length ? (names.at(-1) ?? null) : null;
}

const textOf = (text: Buffer, { start, end }: ByteRange) => text.toString('utf8', start, end);

/** Returns the tokens of SELECT, FROM and WHERE, and the end of the condition. Row locks may follow it. */
function clauses(tokens: Tokens): [number, number, number, number] {
  const select = tokens.find(['select']);
  const from = tokens.find(['from'], select);
  const end = tokens.find(['for'], from);
  return [select, from, Math.min(tokens.find(['where'], from), end), end];
}

/**
 * Rewrites an expression over a relation's row to one over `$1`, which is that row, so that a function with it as its body can be inlined.
 * An expression with a sub-select, or with references that cannot be replaced, becomes a query.
 */
export function overRow(
  expression: string,
  { alias, aliasColumns }: ViewQuery,
  quote: (name: string) => string,
): string {
  const text = Buffer.from(`SELECT ${expression}`);
  const tree = parseTree(text);
  const replacements = (collectNodes(tree, 'ColumnRef') as ColumnRef[]).map((column) => {
    const { fields = [], location = 0 } = column;
    const names = textsOf(fields);
    const isOwn = names.length === 1 || (names.length === 2 && names[0] === alias);
    const parts =
      isOwn && names.length === fields.length ? readName(text, location, names.length) : null;
    const name = quote(names.at(-1) ?? '');
    return parts && { start: location, end: parts.at(-1)?.end ?? 0, text: `($1).${name}` };
  });
  const isPlain =
    aliasColumns.length === 0 &&
    collectNodes(tree, 'SubLink').length === 0 &&
    replacements.every((each) => each !== null);
  if (isPlain) return spliceBytes(text, replacements).toString();
  const columns = aliasColumns.length === 0 ? '' : ` (${aliasColumns.map(quote).join(', ')})`;
  return `${text} FROM (SELECT ($1).*) AS ${quote(alias)}${columns}`;
}

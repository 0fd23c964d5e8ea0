/**
 * Follows the texts that PL/pgSQL runs by EXECUTE: those that constants, names of the trigger's table, quoted names and quoted values make up.
 * A copy runs such a text with the names of overlays, if it is the one that was followed; stage.dynamic_text refuses any other.
 */
import type { ColumnRef, Node, ScanToken } from 'libpg-query';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import { parseTree, scanTokens } from '../parser/parser.ts';
import { SqlSyntaxError } from '../parser/syntax-error.ts';
import { collectNodes, textsOf } from '../parser/syntax-tree.ts';
import type { Context, Piece } from './fold-text.ts';
import { fold } from './fold-text.ts';

/** A text that is run. */
export interface DynamicText {
  /** The text with a placeholder for each part that is known when it runs, as it is parsed. */
  readonly parsed: Buffer;
  /** Whether columns are among these parts. */
  readonly namesColumns: boolean;
  /** Returns the expression that yields the text to run. @param replaced the parsed text, with names replaced */
  readonly expression: (replaced: Buffer) => string | null;
}

type Late = Extract<Piece, { value: string }>;

/** Placeholders have greater numbers than the parameters of any text: `$9001` for a value, `_stage_9002` for a column. */
const firstValue = 9000;

/** Returns the text that an expression yields; null for one that cannot be followed. */
export function followText(
  expression: string,
  context: Omit<Context, 'depth'>,
): DynamicText | null {
  const pieces = fold(expression, { ...context, depth: 0 });
  if (pieces === null) return null;
  const late = pieces.flatMap((piece) => ('value' in piece ? [piece] : []));
  const parsed = Buffer.from(parsedText(pieces));
  const columns = late.filter(({ by }) => by === 'name').length;
  const rows = columns > 0 ? rowsBesideColumns(parsed, columns) : [];
  if (!areApart(parsed, late.length) || rows === null) return null;
  const predicted = pieces.map((piece) =>
    'name' in piece
      ? `pg_catalog.quote_ident(${quoteLiteral(piece.name)})`
      : 'text' in piece
        ? constant(piece.text)
        : quotedOf(piece),
  );
  const made = late.map((piece) => (piece.by === 'name' ? columnOf(piece, rows) : quotedOf(piece)));
  return {
    parsed,
    namesColumns: columns > 0,
    expression: (replaced) => {
      const parts = splitAtPlaceholders(replaced, made);
      return (
        parts && `stage.dynamic_text((${expression}\n), ${joined(predicted)}, ${joined(parts)})`
      );
    },
  };
}

/** Returns the text with the placeholders. */
function parsedText(pieces: readonly Piece[]): string {
  let text = '';
  let number = firstValue;
  for (const piece of pieces) {
    if ('value' in piece) number += 1;
    text += 'value' in piece ? placeholder(piece, number) : shown(piece);
  }
  return text;
}

const placeholder = ({ by }: Late, number: number) =>
  by === 'name' ? `_stage_${number}` : `$${number}`;
const shown = (piece: { text: string } | { name: string }) =>
  'text' in piece ? piece.text : quoteIdentifier(piece.name);
const constant = (text: string) => `${quoteLiteral(text)}::pg_catalog.text`;
const joined = (parts: readonly string[]) => parts.join(' OPERATOR(pg_catalog.||) ');

function quotedOf({ value, by }: Late): string {
  if (by === 'name') return `pg_catalog.format('%I', ${value})`;
  return by === 'format' ? `pg_catalog.format('%L', ${value})` : `pg_catalog.${by}(${value})`;
}

/** Returns the expression that yields the name of a column, quoted, and fails for other names. */
const columnOf = ({ value }: Late, rows: readonly string[]) =>
  `stage.column_in_text(pg_catalog.format('%s', ${value}), ARRAY[${rows.map(quoteLiteral).join(', ')}]::pg_catalog.text[])`;

const isPlaceholder = ({ text }: ScanToken) => /^(?:\$|_stage_)9\d{3}$/.test(text);
const separators = new Set([...' \t\n(),=<>+-*/;:|[]']);

/** Whether each placeholder is a token of its own, which nothing beside it changes: no part of a string, of a comment or of a name. */
function areApart(parsed: Buffer, count: number): boolean {
  const found = scanTokens(parsed).filter(isPlaceholder);
  const isApart = (at: number) =>
    at < 0 || at >= parsed.length || separators.has(String.fromCharCode(parsed[at] ?? 0));
  // guard: no quoted value becomes a part of another word of a text that is run
  return (
    found.length === count && found.every(({ start, end }) => isApart(start - 1) && isApart(end))
  );
}

/**
 * Returns the names that stand for whole rows in a text whose late names are those of columns that it reads. Returns null if one of them may
 * be something else, such as a table, a function or the target of a write.
 */
function rowsBesideColumns(parsed: Buffer, count: number): string[] | null {
  const tree = treeOf(parsed);
  if (tree === null) return null;
  const columns = collectNodes(tree, 'ColumnRef') as readonly ColumnRef[];
  const found = columns.filter(({ fields = [] }) => {
    const [name = '', ...others] = textsOf(fields);
    return others.length === 0 && /^_stage_9\d{3}$/.test(name);
  });
  // guard: a name that is not known stands for a column that is read
  if (found.length !== count) return null;
  return rowNames(tree);
}

/** Returns the names of relations, aliases, WITH queries and functions. */
function rowNames(tree: object): string[] {
  const names = new Set<string>();
  JSON.stringify(tree, (key, value: unknown) => {
    if (key === 'funcname') names.add(textsOf(value as readonly Node[]).at(-1) ?? '');
    else if (/^(?:rel|alias|cte)name$/.test(key)) names.add(String(value));
    return value;
  });
  return [...names];
}

/** Parses a text. Returns null for one with a syntax error. */
function treeOf(parsed: Buffer): ReturnType<typeof parseTree> | null {
  try {
    return parseTree(parsed);
  } catch (error) {
    if (error instanceof SqlSyntaxError) return null;
    throw error;
  }
}

/** Returns the parts of a text, with the expressions of its placeholders between them; null if they are not all there, in order. */
function splitAtPlaceholders(text: Buffer, made: readonly string[]): string[] | null {
  const parts: string[] = [];
  let at = 0;
  const found = scanTokens(text).filter(isPlaceholder);
  for (const [index, { start, end, text: token }] of found.entries()) {
    const expression = made[index];
    if (expression === undefined || !token.endsWith(String(firstValue + index + 1))) return null;
    parts.push(constant(text.subarray(at, start).toString()), expression);
    at = end;
  }
  if (found.length !== made.length) return null;
  return [...parts, constant(text.subarray(at).toString())];
}

/**
 * Follows the texts that PL/pgSQL runs by EXECUTE: those that constants, names of the trigger's table, quoted names and quoted values make up.
 * A copy runs such a text with the names of overlays, if it is the one that was followed; stage.dynamic_text refuses any other.
 */
import type { A_Indirection, FuncCall, Node, ScanToken } from 'libpg-query';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import { parseTree, scanTokens } from '../parser/parser.ts';
import { collectNodes, constantOf, textsOf } from '../parser/syntax-tree.ts';

/** What is known of a trigger when its copy is made. */
export interface TriggerFacts {
  /** The values of variables such as `tg_table_name`. */
  readonly names: Readonly<Record<string, string>>;
  readonly arguments: readonly string[];
}

/** A part of a text: as it is, a name that is quoted, or a quoted value that is known when the text runs. */
type Piece =
  | { readonly text: string }
  | { readonly name: string }
  | { readonly value: string; readonly by: ValueQuote };

type ValueQuote = 'format' | 'quote_literal' | 'quote_nullable';

/** A text that is run. */
export interface DynamicText {
  /** The text with a parameter in the place of each value, as it is parsed. */
  readonly parsed: Buffer;
  /** Returns the expression that yields the text to run. @param replaced the parsed text, with names replaced */
  readonly expression: (replaced: Buffer) => string | null;
}

interface Context {
  readonly facts: TriggerFacts | null;
  /** The expressions that are assigned to variables. */
  readonly assigned: ReadonlyMap<string, string>;
  readonly depth: number;
}

/** The maximum number of variables through which a text is followed. */
const maxDepth = 4;
const keyword = 'SELECT ';
/** Parameters with greater numbers are values: no text has so many of its own. */
const firstValue = 9000;

/** Returns the text that an expression yields; null for one that cannot be followed. */
export function followText(
  expression: string,
  context: Omit<Context, 'depth'>,
): DynamicText | null {
  const pieces = fold(expression, { ...context, depth: 0 });
  if (pieces === null) return null;
  const quoted = pieces.flatMap((piece) => ('value' in piece ? [quotedOf(piece)] : []));
  const parsed = Buffer.from(parsedText(pieces));
  if (!areApart(parsed, quoted.length)) return null;
  const predicted = pieces.map((piece) =>
    'name' in piece
      ? `pg_catalog.quote_ident(${quoteLiteral(piece.name)})`
      : 'text' in piece
        ? constant(piece.text)
        : quotedOf(piece),
  );
  return {
    parsed,
    expression: (replaced) => {
      const made = splitAtValues(replaced, quoted);
      return made && `stage.dynamic_text((${expression}\n), ${joined(predicted)}, ${joined(made)})`;
    },
  };
}

/** Returns the text with a parameter in the place of each value. */
function parsedText(pieces: readonly Piece[]): string {
  let text = '';
  let values = 0;
  for (const piece of pieces) {
    if ('value' in piece) values += 1;
    text += 'value' in piece ? `$${firstValue + values}` : shown(piece);
  }
  return text;
}

const shown = (piece: { text: string } | { name: string }) =>
  'text' in piece ? piece.text : quoteIdentifier(piece.name);
const constant = (text: string) => `${quoteLiteral(text)}::pg_catalog.text`;
const joined = (parts: readonly string[]) => parts.join(' OPERATOR(pg_catalog.||) ');

function quotedOf({ value, by }: Extract<Piece, { value: string }>): string {
  return by === 'format' ? `pg_catalog.format('%L', ${value})` : `pg_catalog.${by}(${value})`;
}

const isValue = ({ text }: ScanToken) => /^\$9\d{3}$/.test(text);
const separators = new Set([...' \t\n(),=<>+-*/;:|[]']);

/** Whether each value is a token of its own, which nothing beside it changes: no part of a string, of a comment or of a name. */
function areApart(parsed: Buffer, count: number): boolean {
  const found = scanTokens(parsed).filter(isValue);
  const isApart = (at: number) =>
    at < 0 || at >= parsed.length || separators.has(String.fromCharCode(parsed[at] ?? 0));
  // guard: no quoted value becomes a part of another word of a text that is run
  return (
    found.length === count && found.every(({ start, end }) => isApart(start - 1) && isApart(end))
  );
}

/** Returns the parts of a text, with the expressions of its values between them; null if they are not all there, in order. */
function splitAtValues(text: Buffer, quoted: readonly string[]): string[] | null {
  const parts: string[] = [];
  let at = 0;
  const found = scanTokens(text).filter(isValue);
  for (const [index, { start, end, text: token }] of found.entries()) {
    const value = quoted[index];
    if (value === undefined || token !== `$${firstValue + index + 1}`) return null;
    parts.push(constant(text.subarray(at, start).toString()), value);
    at = end;
  }
  if (found.length !== quoted.length) return null;
  return [...parts, constant(text.subarray(at).toString())];
}

/** The tokens of the expression in which a node is. */
interface Source {
  readonly query: Buffer;
  readonly tokens: readonly ScanToken[];
}

function fold(expression: string, context: Context): Piece[] | null {
  if (context.depth > maxDepth) return null;
  const query = Buffer.from(keyword + expression);
  const [statement] = parseTree(query).stmts ?? [];
  const select =
    statement?.stmt && 'SelectStmt' in statement.stmt ? statement.stmt.SelectStmt : null;
  const [target, ...others] = select?.targetList ?? [];
  if (!target || !('ResTarget' in target) || others.length > 0 || select?.fromClause) return null;
  return foldNode(target.ResTarget.val, { query, tokens: scanTokens(query) }, context);
}

function foldNode(node: Node | undefined, source: Source, context: Context): Piece[] | null {
  if (!node) return null;
  const text = constantOf(node);
  if (text !== null) return [{ text }];
  if ('TypeCast' in node) {
    const type = textsOf(node.TypeCast.typeName?.names).at(-1);
    return type === 'text' ? foldNode(node.TypeCast.arg, source, context) : null;
  }
  if ('A_Expr' in node) {
    const { name, lexpr, rexpr, kind } = node.A_Expr;
    if (kind !== 'AEXPR_OP' || textsOf(name).join('.') !== '||') return null;
    const sides = [lexpr, rexpr].map((side) => foldNode(side, source, context));
    return sides.every((side) => side !== null) ? sides.flat() : null;
  }
  if ('FuncCall' in node) return foldCall(node.FuncCall, source, context);
  return foldName(node, context);
}

/** Returns the value of a variable of the trigger, or follows one of the function. */
function foldName(node: Node, context: Context): Piece[] | null {
  if ('A_Indirection' in node) return foldArgument(node.A_Indirection, context);
  if (!('ColumnRef' in node)) return null;
  const { facts, assigned, depth } = context;
  const [name, ...others] = node.ColumnRef.fields ?? [];
  if (!name || !('String' in name) || others.length > 0) return null;
  const text = name.String.sval ?? '';
  const value = facts && Object.hasOwn(facts.names, text) ? facts.names[text] : undefined;
  if (value !== undefined) return [{ text: value }];
  const expression = assigned.get(text);
  return expression === undefined ? null : fold(expression, { ...context, depth: depth + 1 });
}

/** Returns the value of an argument of the trigger. */
function foldArgument(
  { arg, indirection = [] }: A_Indirection,
  { facts }: Context,
): Piece[] | null {
  const [index, ...others] = indirection;
  const isOfTrigger =
    arg && 'ColumnRef' in arg && textsOf(arg.ColumnRef.fields).join('.') === 'tg_argv';
  if (!isOfTrigger || others.length > 0 || !index || !('A_Indices' in index)) return null;
  const { uidx, lidx, is_slice: isSlice } = index.A_Indices;
  const value = facts?.arguments[Number(constantOf(uidx) ?? -1)];
  return value === undefined || lidx || isSlice ? null : [{ text: value }];
}

const known = new Set(['format', 'quote_ident', 'quote_literal', 'quote_nullable']);

function foldCall(call: FuncCall, source: Source, context: Context): Piece[] | null {
  const [name = '', schema = 'pg_catalog'] = textsOf(call.funcname).reverse();
  const { args = [], func_variadic: isVariadic } = call;
  if (schema !== 'pg_catalog' || !known.has(name) || isVariadic) return null;
  const texts = argumentTexts(source, call.location ?? 0);
  if (texts?.length !== args.length) return null;
  const given = args.map((node, index) => ({ node, text: texts[index] ?? '' }));
  if (name === 'format') return foldFormat(given, source, context);
  const [only, ...others] = given;
  if (!only || others.length > 0) return null;
  if (name === 'quote_ident') return quotedName(only, source, context);
  return quotedValue(only, name as ValueQuote);
}

interface Argument {
  readonly node: Node;
  readonly text: string;
}

function quotedName({ node }: Argument, source: Source, context: Context): Piece[] | null {
  const pieces = foldNode(node, source, context);
  if (!pieces?.every((piece) => 'text' in piece)) return null;
  return [{ name: pieces.map(({ text }) => text).join('') }];
}

/** Functions that values may call: they are called more than once. */
const plain = new Set(
  'to_json to_jsonb row_to_json now lower upper concat md5 length left right replace jsonb_build_object json_build_object jsonb_strip_nulls'.split(
    ' ',
  ),
);

function quotedValue({ node, text }: Argument, by: ValueQuote): Piece[] | null {
  const calls = collectNodes(node, 'FuncCall') as readonly FuncCall[];
  const isPlain = calls.every(({ funcname }) => {
    const names = textsOf(funcname);
    return names.length === 1 && plain.has(names[0] ?? '');
  });
  // guard: a value is computed once more without effects
  if (!isPlain || collectNodes(node, 'SubLink').length > 0) return null;
  return [{ value: text, by }];
}

function foldFormat(given: readonly Argument[], source: Source, context: Context): Piece[] | null {
  const [first, ...values] = given;
  const template = first && foldNode(first.node, source, context);
  if (!template?.every((piece) => 'text' in piece)) return null;
  const text = template.map((piece) => piece.text).join('');
  const pieces: Piece[] = [];
  let next = 0;
  let at = 0;
  for (const found of text.matchAll(/%(?:(\d+)\$)?(.)?/gs)) {
    pieces.push({ text: text.slice(at, found.index) });
    at = found.index + found[0].length;
    const [, position, kind = ''] = found;
    if (kind === '%' && position === undefined) {
      pieces.push({ text: '%' });
      continue;
    }
    if (position !== undefined) next = Number(position) - 1;
    const value = values[next];
    next += 1;
    const made = value === undefined ? null : formatted(kind, value, source, context);
    if (made === null) return null;
    pieces.push(...made);
  }
  return [...pieces, { text: text.slice(at) }];
}

function formatted(
  kind: string,
  value: Argument,
  source: Source,
  context: Context,
): Piece[] | null {
  if (kind === 's') return foldNode(value.node, source, context);
  if (kind === 'I') return quotedName(value, source, context);
  return kind === 'L' ? quotedValue(value, 'format') : null;
}

/** Returns the texts of a call's arguments. @param start the first byte of the function's name */
function argumentTexts({ query, tokens }: Source, start: number): string[] | null {
  const name = tokens.findIndex((token) => token.start === start);
  const opening = tokens.findIndex(({ text }, index) => index > name && text === '(');
  const texts: string[] = [];
  let depth = 0;
  let from = tokens[opening]?.end ?? 0;
  for (const { text, start: here, end } of name < 0 || opening < 0 ? [] : tokens.slice(opening)) {
    if (depth === 1 && (text === ',' || text === ')')) {
      texts.push(query.subarray(from, here).toString());
      from = end;
    }
    depth += depthOf.get(text) ?? 0;
    if (depth === 0) return texts;
  }
  return null;
}

const depthOf: ReadonlyMap<string, number> = new Map([
  ['(', 1],
  ['[', 1],
  [')', -1],
  [']', -1],
]);

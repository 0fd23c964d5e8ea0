/**
 * Takes the expression apart that yields a text which PL/pgSQL runs by EXECUTE: into constants, names of the trigger's table, quoted names and
 * quoted values.
 */
import type { A_Indirection, FuncCall, Node, ScanToken } from 'libpg-query';
import { parseTree, scanTokens } from '../parser/parser.ts';
import { collectNodes, constantOf, textsOf } from '../parser/syntax-tree.ts';

/** What is known of a trigger when its copy is made. */
export interface TriggerFacts {
  /** The values of variables such as `tg_table_name`. */
  readonly names: Readonly<Record<string, string>>;
  readonly arguments: readonly string[];
}

/**
 * A part of a text: as it is; a name that is quoted; or what is known when the text runs, by the expression that yields it: a quoted value, or
 * a quoted name.
 */
export type Piece =
  | { readonly text: string }
  | { readonly name: string }
  | { readonly value: string; readonly by: ValueQuote }
  | { readonly value: string; readonly by: 'name' };

export type ValueQuote = 'format' | 'quote_literal' | 'quote_nullable';

export interface Context {
  readonly facts: TriggerFacts | null;
  /** The expressions that are assigned to variables. */
  readonly assigned: ReadonlyMap<string, string>;
  readonly depth: number;
}

/** The maximum number of variables through which a text is followed. */
const maxDepth = 4;
const keyword = 'SELECT ';

/** The tokens of the expression in which a node is. */
interface Source {
  readonly query: Buffer;
  readonly tokens: readonly ScanToken[];
}

/** Returns the parts of the text that an expression yields; null for one that cannot be followed. */
export function fold(expression: string, context: Context): Piece[] | null {
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

function quotedName({ node, text }: Argument, source: Source, context: Context): Piece[] | null {
  const pieces = foldNode(node, source, context);
  if (pieces?.every((piece) => 'text' in piece))
    return [{ name: pieces.map((piece) => piece.text).join('') }];
  return isPlain(node) ? [{ value: text, by: 'name' }] : null;
}

/** Functions that values may call: they are called more than once. */
const plain = new Set(
  'to_json to_jsonb row_to_json now lower upper concat md5 length left right replace jsonb_build_object json_build_object jsonb_strip_nulls'.split(
    ' ',
  ),
);

const quotedValue = ({ node, text }: Argument, by: ValueQuote): Piece[] | null =>
  isPlain(node) ? [{ value: text, by }] : null;

/** Returns whether an expression can be evaluated more than once. */
function isPlain(node: Node): boolean {
  const calls = collectNodes(node, 'FuncCall') as readonly FuncCall[];
  const callsPlain = calls.every(({ funcname }) => {
    const names = textsOf(funcname);
    return names.length === 1 && plain.has(names[0] ?? '');
  });
  // guard: a value is computed once more without effects
  return callsPlain && collectNodes(node, 'SubLink').length === 0;
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

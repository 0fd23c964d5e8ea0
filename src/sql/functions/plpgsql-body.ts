/**
 * Parses PL/pgSQL bodies. The parser returns the texts of their expressions, but not their places, so this module finds them by tokens. The
 * result is verified afterwards: the body with names replaced must have exactly the expected expressions.
 */
import type { ScanToken } from 'libpg-query';
import { parsePlpgsql, parseTree, scanTokens } from '../parser/parser.ts';
import { collectNodes, textsOf } from '../parser/syntax-tree.ts';
import { isSameRange, spliceBytes } from '../splice.ts';
import type { BodyReplacement } from './body-upserts.ts';
import { withCalls } from './body-upserts.ts';
import type { BodyUses, Extent, FunctionBody } from './body-uses.ts';
import { mergedUses, movedUses, usesOf } from './body-uses.ts';
import { missingDefaults } from './plpgsql-defaults.ts';
import { handlersOfOthers, passesOthersOn, withoutPassedOn } from './plpgsql-handlers.ts';
import { hasHazard } from './plpgsql-hazards.ts';
import { declaredTypes, replaceRowTypes } from './plpgsql-types.ts';

/** An expression or query of the body. */
interface Part {
  readonly text: Buffer;
  /** Places count from the start of the part. */
  readonly uses: BodyUses;
  /** The body's token for each token of the part; empty if the part names nothing. */
  readonly places: readonly ScanToken[];
}

/** Parses a body. Returns null for one with a statement beyond the extent, or that runs a text built at run time. */
export async function readPlpgsql(
  head: string,
  text: string,
  extent: Extent = 'reads',
  tables: readonly string[] = [],
): Promise<FunctionBody | null> {
  const body = Buffer.from(text);
  const expressions = await expressionsOf(head, text, extent, (query, mode) =>
    usesOfExpression(query, mode, extent, tables),
  );
  const parts = expressions && locateParts(scanTokens(body), expressions);
  if (!parts) return null;
  const uses = mergedUses(parts.map((part) => inBody(part)));
  // guard: an exception block for OTHERS passes on what the service refuses
  const handlers = extent === 'reads' ? [] : handlersOfOthers(scanTokens(body));
  return {
    uses,
    replaced: async (replacements) => {
      // An insertion covers no text of the body, so it cannot be assigned to a part.
      if (replacements.some(({ start, end }) => !(start < end))) return null;
      const made = spliceBytes(body, [...withCalls(replacements, precede), ...handlers]);
      // the text contains names of overlays, to which no statement may write, so only its words are compared
      const found = await expressionsOf(head, made.toString(), extent, () => mergedUses([]), true);
      const wanted = parts.flatMap((part) => splicePart(part, replacements));
      const own = withoutPassedOn(found ?? [], handlers.length);
      return found !== null && own !== null && isSame(own, wanted) ? made : null;
    },
  };
}

/** Evaluates an expression before a statement, without changing FOUND. */
const precede = (call: string) => `IF ${call} THEN NULL; END IF;`;

const noText = Buffer.alloc(0);

interface Expression {
  readonly text: Buffer;
  readonly uses: BodyUses;
}

/** Returns all expressions, always in the same order; null if one of them may do more than read, or cannot be parsed. */
async function expressionsOf(
  head: string,
  body: string,
  extent: Extent,
  usesIn: (query: Buffer, mode: number) => BodyUses | null,
  isCopy = false,
): Promise<Expression[] | null> {
  const tag = `$body${body.includes('$body') ? body.length : ''}$`;
  if (body.includes(tag)) return null;
  const rows = replaceRowTypes(Buffer.from(body));
  if (rows === null) return null;
  const text = `CREATE FUNCTION ${head} LANGUAGE plpgsql AS ${tag}${rows.body}${tag}`;
  const tree = await treeWithin(text, Buffer.from(body), extent, isCopy);
  if (tree === null) return null;
  const missing = missingDefaults(tree, rows.body);
  if (missing === null) return null;
  const types = declaredTypes(tree, rows.names);
  if (types === null) return null;
  // guard: code that runs for a declared type is known
  const expressions: Expression[] = [{ text: noText, uses: { ...mergedUses([]), unclear: types } }];
  // guard: defaults of variables are checked, also where the parser does not return them
  const others = missing.map((query) => ({ query, parseMode: expressionMode }));
  for (const fields of [...collectNodes(tree, 'PLpgSQL_expr'), ...others]) {
    const { query, parseMode = 0 } = fields as { query: string; parseMode?: number };
    const uses = rows.isIn(query) ? null : usesIn(Buffer.from(query), parseMode);
    if (uses === null) return null;
    expressions.push({ text: Buffer.from(query), uses });
  }
  return expressions;
}

/** Returns the parsed text of a function; null if it has statements beyond the extent, or handles errors that it must not handle. */
async function treeWithin(
  text: string,
  body: Buffer,
  extent: Extent,
  isCopy: boolean,
): Promise<object | null> {
  const tree = await parsePlpgsql(Buffer.from(text), body);
  if (tree === null || beyond(extent).some((type) => collectNodes(tree, type).length > 0))
    return null;
  if (extent === 'reads') return tree;
  // guard: no exception block of code that writes catches a refusal of the service
  if (hasHazard(tree)) return null;
  // guard: errors are passed on by exception blocks, not by a CASE that looks like one
  if (isCopy && !passesOthersOn(tree)) return null;
  return tree;
}

/** Returns the node types of statements that a body must not have. */
const beyond = (extent: Extent) =>
  extent === 'writes' ? always : [...always, 'PLpgSQL_stmt_call'];

/** Those of statements that run a text built at run time, or end transactions. `dynquery` is a field. */
const always = [
  'PLpgSQL_stmt_dynexecute',
  'PLpgSQL_stmt_dynfors',
  'PLpgSQL_stmt_commit',
  'PLpgSQL_stmt_rollback',
  'dynquery',
];

/** PL/pgSQL's parse modes: a statement, an expression; larger values are assignments. */
const statementMode = 0;
const expressionMode = 2;
const keyword = 'SELECT ';

function usesOfExpression(
  text: Buffer,
  mode: number,
  extent: Extent,
  tables: readonly string[],
): BodyUses | null {
  const start = mode > expressionMode ? behindAssignment(text) : 0;
  if (start === null) return null;
  const prefix = mode === statementMode ? '' : keyword;
  const query = Buffer.concat([Buffer.from(prefix), text.subarray(start)]);
  const isPart = extent === 'rows' && mode !== statementMode;
  const uses = usesOf(query, isPart ? 'reads' : extent);
  if (uses === null || inspectsRowVersions(query, tables)) return null;
  return movedUses(uses, (at) => at - prefix.length + start);
}

/** Returns the start of the assigned value; null if a parenthesis comes first, since an element of the target may contain a call. */
function behindAssignment(text: Buffer): number | null {
  for (const { text: token, end } of scanTokens(text)) {
    if (token === '(') return null;
    if (token === ':=' || token === '=') return end;
  }
  return null;
}

const systemColumns = new Set(['ctid', 'tableoid', 'xmin', 'xmax', 'cmin', 'cmax']);

interface Named {
  readonly schemaname?: string;
  readonly relname?: string;
  readonly funcname?: Parameters<typeof textsOf>[0];
  readonly alias?: { readonly aliasname?: string };
}

/**
 * Returns whether a query refers to whole rows, or to columns that only a table has. PostgreSQL validates SQL bodies when they are created;
 * a PL/pgSQL body would fail only when it runs.
 * @param tables the names of transition tables
 */
function inspectsRowVersions(query: Buffer, tables: readonly string[]): boolean {
  const tree = parseTree(query);
  const rows = ['RangeVar', 'RangeFunction', 'FuncCall'].flatMap((type) =>
    collectNodes(tree, type).map((fields) => {
      const { schemaname, relname, funcname, alias } = fields as Named;
      // rows of a transition table are those of the table
      if (schemaname === undefined && tables.includes(relname ?? '')) return '';
      return alias?.aliasname ?? relname ?? textsOf(funcname).at(-1) ?? '';
    }),
  );
  return collectNodes(tree, 'ColumnRef').some((fields) => {
    const names = textsOf((fields as { fields?: Parameters<typeof textsOf>[0] }).fields);
    return (
      systemColumns.has(names.at(-1) ?? '') || (names.length === 1 && rows.includes(names[0] ?? ''))
    );
  });
}

/** Locates the expressions that name something. The longer ones come first, because a shorter one may occur within them. */
function locateParts(
  tokens: readonly ScanToken[],
  expressions: readonly Expression[],
): Part[] | null {
  const taken = new Set<number>();
  const found = new Map<Expression, readonly ScanToken[]>();
  const naming = expressions
    .filter(({ uses: { relations, called, qualifiers, locking } }) =>
      [relations, called, qualifiers, locking].some(({ length }) => length > 0),
    )
    .map((expression) => ({ expression, own: scanTokens(expression.text) }))
    .sort((one, other) => other.own.length - one.own.length);
  for (const { expression, own } of naming) {
    const indexes = findTokens(tokens, own, taken);
    if (indexes === null) return null;
    for (const index of indexes) taken.add(index);
    found.set(
      expression,
      indexes.flatMap((index) => tokens[index] ?? []),
    );
  }
  return expressions.map((each) => ({ ...each, places: found.get(each) ?? [] }));
}

function findTokens(
  tokens: readonly ScanToken[],
  own: readonly ScanToken[],
  taken: ReadonlySet<number>,
): number[] | null {
  for (let start = 0; start < tokens.length; start += 1) {
    const indexes = taken.has(start) ? null : matchTokens(tokens, own, start);
    if (indexes?.every((index) => !taken.has(index))) return indexes;
  }
  return null;
}

/** Matches an expression's tokens in the body. There PL/pgSQL has removed INTO with its targets, and replaced PERFORM by SELECT. */
function matchTokens(
  tokens: readonly ScanToken[],
  own: readonly ScanToken[],
  start: number,
): number[] | null {
  const indexes: number[] = [];
  let at = start;
  for (const { text } of own) {
    if (tokens[at]?.text.toLowerCase() === 'into' && text.toLowerCase() !== 'into')
      while (at < tokens.length && tokens[at]?.text !== text) at += 1;
    const is = tokens[at]?.text;
    const isPerform = at === start && text === 'SELECT' && is?.toLowerCase() === 'perform';
    if (is !== text && !isPerform) return null;
    indexes.push(at);
    at += 1;
  }
  return indexes;
}

/** Returns the uses of a part with their places in the body. */
function inBody(part: Part): BodyUses {
  if (part.places.length === 0) return part.uses;
  const own = scanTokens(part.text);
  const edges = new Map(
    own.flatMap(({ start, end }, index) => {
      const token = part.places[index];
      return token ? [[start, token.start] as const, [end, token.end] as const] : [];
    }),
  );
  return movedUses(part.uses, (at) => edges.get(at) ?? Number.NaN);
}

/** Returns the spliced text of a part, then the calls that precede it, as expressions are listed from the last statement to the first. */
function splicePart(part: Part, replacements: readonly BodyReplacement[]): Buffer[] {
  const [before, after] = [part.uses, inBody(part)].map((uses) => [
    ...uses.relations,
    ...uses.called,
    ...uses.qualifiers,
    ...uses.groupings.map(({ start }) => ({ start, end: start })),
    ...uses.locking,
    ...uses.upserts.flatMap(({ clause, first }) => [clause, first]),
    ...uses.callers.map(({ first }) => first),
  ]);
  const inside = (before ?? []).flatMap(({ start, end }, index) => {
    const place = after?.[index];
    const replacement = place && replacements.find((each) => isSameRange(each, place));
    return replacement ? [{ start, end, text: replacement.text }] : [];
  });
  const { upserts, callers } = inBody(part);
  const calls = [...upserts, ...callers].flatMap(({ first }) => {
    const call = replacements.find((each) => isSameRange(each, first))?.call;
    return call === undefined ? [] : [Buffer.from(call)];
  });
  return [spliceBytes(part.text, inside), ...calls];
}

function isSame(found: readonly Buffer[], wanted: readonly Buffer[]): boolean {
  const words = (texts: readonly Buffer[]) =>
    JSON.stringify(texts.map((text) => scanTokens(text).map((token) => token.text)));
  return words(found) === words(wanted);
}

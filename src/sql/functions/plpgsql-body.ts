/**
 * PL/pgSQL bodies. The parser gives the texts of their expressions, not their places: these are found by the tokens. Whether
 * they were found right is looked at afterwards: the body with other names has to have exactly the expressions it should.
 */
import type { ScanToken } from 'libpg-query';
import { parsePlpgsql, parseTree, scanTokens } from '../parser/parser.ts';
import { collectNodes, textsOf } from '../parser/syntax-tree.ts';
import type { Replacement } from '../splice.ts';
import { isSameRange, spliceBytes } from '../splice.ts';
import type { BodyUses, FunctionBody } from './body-uses.ts';
import { mergedUses, movedUses, usesOf } from './body-uses.ts';

/** An expression or query of the body. */
interface Part {
  readonly text: Buffer;
  /** Places count from the start of the part. */
  readonly uses: BodyUses;
  /** The token of the body for each of its own; empty where it names nothing. */
  readonly places: readonly ScanToken[];
}

/** Reads a body. Gives null for one that may do anything but read, or that runs text it makes up. */
export async function readPlpgsql(head: string, text: string): Promise<FunctionBody | null> {
  const body = Buffer.from(text);
  const expressions = await expressionsOf(head, text);
  const parts = expressions && locateParts(scanTokens(body), expressions);
  if (!parts) return null;
  const uses = mergedUses(parts.map((part) => inBody(part)));
  return {
    uses,
    replaced: async (replacements) => {
      // without a place of its own in the body
      if (replacements.some(({ start, end }) => !(start < end))) return null;
      const made = spliceBytes(body, replacements);
      const found = await expressionsOf(head, made.toString());
      const wanted = parts.map((part) => splicePart(part, replacements));
      return found !== null &&
        isSame(
          found.map(({ text }) => text),
          wanted,
        )
        ? made
        : null;
    },
  };
}

interface Expression {
  readonly text: Buffer;
  readonly uses: BodyUses;
}

/** Gives all expressions, always in the same order; null when one may do anything but read, or cannot be read itself. */
async function expressionsOf(head: string, body: string): Promise<Expression[] | null> {
  const tag = `$body${body.includes('$body') ? body.length : ''}$`;
  if (body.includes(tag)) return null;
  const text = `CREATE FUNCTION ${head} LANGUAGE plpgsql AS ${tag}${withoutRowTypes(body)}${tag}`;
  const tree = await parsePlpgsql(Buffer.from(text), Buffer.from(body));
  if (tree === null || beyond.some((type) => collectNodes(tree, type).length > 0)) return null;
  const expressions: Expression[] = [];
  for (const fields of collectNodes(tree, 'PLpgSQL_expr')) {
    const { query, parseMode = 0 } = fields as { query: string; parseMode?: number };
    const uses = usesOfExpression(Buffer.from(query), parseMode);
    if (uses === null) return null;
    expressions.push({ text: Buffer.from(query), uses });
  }
  return expressions;
}

/** Statements that run text which is made up as they run, or that end transactions. `dynquery` is a field. */
const beyond = [
  'PLpgSQL_stmt_dynexecute',
  'PLpgSQL_stmt_dynfors',
  'PLpgSQL_stmt_call',
  'PLpgSQL_stmt_commit',
  'PLpgSQL_stmt_rollback',
  'dynquery',
];

/** The parser knows no tables: of variables that are rows of some it would not know the fields. */
function withoutRowTypes(body: string): string {
  return body.replaceAll(/(?:[\w$.\u0080-\uffff]|"[^"]*")+\s*%\s*ROWTYPE\b/gi, (type) =>
    'record'.padEnd(type.length),
  );
}

/** How PL/pgSQL has its grammar read a text: a statement, an expression, or an assignment. */
const statementMode = 0;
const expressionMode = 2;
const keyword = 'SELECT ';

function usesOfExpression(text: Buffer, mode: number): BodyUses | null {
  const start = mode > expressionMode ? behindAssignment(text) : 0;
  if (start === null) return null;
  const prefix = mode === statementMode ? '' : keyword;
  const query = Buffer.concat([Buffer.from(prefix), text.subarray(start)]);
  const uses = usesOf(query);
  if (uses === null || looksAtRows(query)) return null;
  return movedUses(uses, (at) => at - prefix.length + start);
}

/** Where the value begins that is assigned; null where the target is an element that something has to be called for. */
function behindAssignment(text: Buffer): number | null {
  for (const { text: token, end } of scanTokens(text)) {
    if (token === '(') return null;
    if (token === ':=' || token === '=') return end;
  }
  return null;
}

const systemColumns = new Set(['ctid', 'tableoid', 'xmin', 'xmax', 'cmin', 'cmax']);

interface Named {
  readonly relname?: string;
  readonly funcname?: Parameters<typeof textsOf>[0];
  readonly alias?: { readonly aliasname?: string };
}

/** Whether it names rows as a whole, or what only a table has. In SQL bodies PostgreSQL looks at that; here it would as they run. */
function looksAtRows(query: Buffer): boolean {
  const tree = parseTree(query);
  const rows = ['RangeVar', 'RangeFunction', 'FuncCall'].flatMap((type) =>
    collectNodes(tree, type).map((fields) => {
      const { relname, funcname, alias } = fields as Named;
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

/** Finds the expressions that name something. The longer ones come first: a shorter one may stand in them. */
function locateParts(
  tokens: readonly ScanToken[],
  expressions: readonly Expression[],
): Part[] | null {
  const taken = new Set<number>();
  const found = new Map<Expression, readonly ScanToken[]>();
  const naming = expressions
    .filter(({ uses }) => uses.relations.length + uses.called.length + uses.qualifiers.length > 0)
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

/** PL/pgSQL has taken INTO with its targets out of a query, and written SELECT for PERFORM. */
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

/** The uses of a part by their places in the body. */
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

/** The part's text with what is replaced in it. */
function splicePart(part: Part, replacements: readonly Replacement[]): Buffer {
  const [before, after] = [part.uses, inBody(part)].map((uses) => [
    ...uses.relations,
    ...uses.called,
    ...uses.qualifiers,
    ...uses.groupings.map(({ start }) => ({ start, end: start })),
  ]);
  const inside = (before ?? []).flatMap(({ start, end }, index) => {
    const place = after?.[index];
    const replacement = place && replacements.find((each) => isSameRange(each, place));
    return replacement ? [{ start, end, text: replacement.text }] : [];
  });
  return spliceBytes(part.text, inside);
}

function isSame(found: readonly Buffer[], wanted: readonly Buffer[]): boolean {
  const words = (texts: readonly Buffer[]) =>
    JSON.stringify(texts.map((text) => scanTokens(text).map((token) => token.text)));
  return words(found) === words(wanted);
}

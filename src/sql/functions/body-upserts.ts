/**
 * INSERT ... ON CONFLICT in the bodies of functions: the clause is cut out, and the values that it takes from the function are captured.
 */
import type { ColumnRef, ParamRef, ScanToken } from 'libpg-query';
import { parseTree, scanTokens } from '../parser/parser.ts';
import { collectNodes, textsOf } from '../parser/syntax-tree.ts';
import type { ByteRange, Replacement } from '../splice.ts';
import type { Arbiter, ClausePart, Upsert } from '../write.ts';

/** One clause of a body. Places count as those of the relations. */
export interface BodyUpsert {
  /** First byte of the target's name, as in its `RelationUse`. */
  readonly target: number;
  readonly alias: string;
  /** From ON CONFLICT to the end of the clause. */
  readonly clause: ByteRange;
  readonly first: FirstWord;
  readonly arbiter: Arbiter;
  /** Texts, and the numbers of captured values between them, from 1 on; null for DO NOTHING. */
  readonly set: Pieces | null;
  /** Null without a condition. */
  readonly where: Pieces | null;
  /** The expressions over the function's variables, in the order of their numbers. */
  readonly captured: readonly string[];
  /** Names without a table among them. */
  readonly bare: readonly string[];
}

/** The first word of a statement. */
export type FirstWord = ByteRange & { readonly text: string };

type Pieces = readonly (string | number)[];

/** A replacement in a body. */
export interface BodyReplacement extends Replacement {
  /** An expression that is evaluated before the statement whose first word is replaced. */
  readonly call?: string;
  /** Whether the call uses no variables. It may then precede a statement that runs the text. */
  readonly isFixed?: boolean;
}

interface Captures {
  readonly texts: string[];
  readonly bare: string[];
}

/**
 * Returns the clauses of a statement; null if one of them takes values from the function in a way that cannot be followed.
 * @param text the statement
 */
export function bodyUpserts(text: Buffer, upserts: readonly Upsert[]): BodyUpsert[] | null {
  const found = upserts.map((upsert) => bodyUpsert(text, upsert));
  return found.every((each) => each !== null) ? found : null;
}

/** Returns the first word of a statement. */
export function firstWord(statement: Buffer): FirstWord | undefined {
  const token = scanTokens(statement).find(({ text }) => !/^(--|\/\*)/.test(text));
  return token && { start: token.start, end: token.end, text: token.text };
}

function bodyUpsert(text: Buffer, upsert: Upsert): BodyUpsert | null {
  const first = firstWord(text);
  const captures: Captures = { texts: [], bare: [] };
  const set = upsert.set && piecesOf(upsert.set, 'UPDATE t SET ', upsert.alias, captures);
  const where = upsert.where && piecesOf(upsert.where, 'SELECT ', upsert.alias, captures);
  const isLost = (upsert.set && !set) || (upsert.where && !where);
  if (!first || isLost) return null;
  const { target, alias, clause, arbiter } = upsert;
  return {
    ...{ target, alias, clause, arbiter, set, where, first },
    captured: captures.texts,
    bare: captures.bare,
  };
}

/** Returns the pieces of one part of a clause; null for one with a query, whose names may be columns of its tables. */
function piecesOf(
  part: ClausePart,
  prefix: string,
  alias: string,
  captures: Captures,
): Pieces | null {
  const query = Buffer.concat([Buffer.from(prefix), part.text]);
  const tree = parseTree(query);
  // guard: the names in a query of an ON CONFLICT clause are not taken for variables
  if (collectNodes(tree, 'SubLink').length > 0) return null;
  const tokens = scanTokens(query);
  const places: ByteRange[] = [];
  for (const column of collectNodes(tree, 'ColumnRef') as ColumnRef[]) {
    const names = textsOf(column.fields);
    const isStar = names.length < (column.fields?.length ?? 0);
    const ofRow = names[0] === alias || names[0] === 'excluded';
    if (ofRow && names.length + Number(isStar) === 2) continue;
    // guard: a row of the table is not taken for a variable
    if (ofRow || isStar || names.length > 2) return null;
    if (names.length === 1) captures.bare.push(names[0] ?? '');
    places.push(rangeOf(tokens, column.location ?? 0, names.length * 2 - 1));
  }
  for (const { location = 0 } of collectNodes(tree, 'ParamRef') as ParamRef[])
    places.push(rangeOf(tokens, location, 1));
  return splitAt(query, Buffer.byteLength(prefix), places, captures);
}

/** Returns the range of some tokens. */
function rangeOf(tokens: readonly ScanToken[], start: number, count: number): ByteRange {
  const index = tokens.findIndex((token) => token.start === start);
  return { start, end: tokens[index + count - 1]?.end ?? start };
}

function splitAt(
  query: Buffer,
  from: number,
  places: readonly ByteRange[],
  { texts }: Captures,
): Pieces {
  const pieces: (string | number)[] = [];
  let at = from;
  // the value of `SET (a, b) = ...` is in the tree once for each column
  const once = new Map(places.map((place) => [place.start, place]));
  for (const { start, end } of [...once.values()].sort((one, other) => one.start - other.start)) {
    texts.push(query.subarray(start, end).toString());
    pieces.push(query.subarray(at, start).toString(), texts.length);
    at = end;
  }
  return [...pieces, query.subarray(at).toString()];
}

/** Returns the same clauses with each position mapped by `moved`. */
export const movedUpserts = (
  upserts: readonly BodyUpsert[],
  moved: (at: number) => number,
): BodyUpsert[] =>
  upserts.map((upsert) => {
    const { clause, first } = upsert;
    return {
      ...upsert,
      target: moved(upsert.target),
      clause: { start: moved(clause.start), end: moved(clause.end) },
      first: { ...first, start: moved(first.start), end: moved(first.end) },
    };
  });

/** Returns a body's replacements with the calls that come before statements, in the words of a language. */
export const withCalls = (
  replacements: readonly BodyReplacement[],
  before: (call: string) => string,
): Replacement[] =>
  replacements.map(({ call, ...each }) =>
    call === undefined ? each : { ...each, text: `${before(call)} ${each.text}` },
  );

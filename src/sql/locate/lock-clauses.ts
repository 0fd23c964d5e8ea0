/**
 * Determines the rows that a SELECT locks (`FOR UPDATE OF t NOWAIT`), and the edits that turn its text into a query that takes these locks.
 * The meaning comes from the parse tree, the places from PostgreSQL's tokens.
 */
import type { LockingClause, Node, RangeVar, SelectStmt } from 'libpg-query';
import { collectUses } from '../classify/query-uses.ts';
import type { Source } from '../classify/relation-uses.ts';
import { aliasOf, rangesOf } from '../classify/relation-uses.ts';
import { parseTree } from '../parser/parser.ts';
import { SqlSyntaxError } from '../parser/syntax-error.ts';
import { Tokens } from '../parser/tokens.ts';
import type { RelationUse, TextPart } from '../places.ts';
import type { LockedRelation, LockPlaces, Read } from '../read.ts';
import type { ByteRange, Replacement } from '../splice.ts';
import { spliceBytes } from '../splice.ts';

const waits = {
  LockWaitBlock: 'wait',
  LockWaitSkip: 'skip',
  LockWaitError: 'nowait',
} as const;

/** In ascending precedence, for several clauses that name one relation. */
const order: readonly LockedRelation['wait'][] = ['wait', 'skip', 'nowait'];

/**
 * Returns the read with the locks that its outermost SELECT takes on tables in its FROM. It omits locks in sub-selects, locks on rows of
 * anything other than tables, and FOR KEY SHARE.
 */
export function withRowLocks(read: Read, query: Node, source: Source): Read {
  if (!('SelectStmt' in query) || read.locking.length === 0) return read;
  const whole = { start: 0, end: source.text.length };
  const places = lockPlaces(query.SelectStmt, read.relations, source, whole);
  if (places === null) return read;
  const tokens = Tokens.of(source.text);
  const { calls } = collectUses(query, source);
  const offsets = places.limits.flatMap((limit) => withoutOffset(limit, tokens, source.text));
  return { ...read, locks: { ...calls, ...places, offsets } };
}

/**
 * Returns the locks that a SELECT takes on tables in its FROM, and the places for edits; null if it takes none or the places are unclear.
 * @param part the range of the SELECT in the source
 */
export function lockPlaces(
  select: SelectStmt,
  relations: readonly RelationUse[],
  source: Source,
  { start, end }: ByteRange,
): LockPlaces | null {
  const ranges = (select.fromClause ?? []).flatMap(rangesOf);
  const uses = new Map(relations.map((use) => [use.start, use]));
  const locked = (select.lockingClause ?? [])
    .flatMap((node) => ('LockingClause' in node ? lockedBy(node.LockingClause, ranges) : []))
    .flatMap((each) => relationOf(each, uses, source));
  if (locked.length === 0) return null;
  const isWhole = start === 0 && end === source.text.length;
  const text = isWhole ? source.text : source.text.subarray(start, end);
  const tokens = Tokens.of(text);
  const columnsEnd = endOfColumns(tokens);
  if (columnsEnd === null) return null;
  const hasColumns = select.targetList !== undefined;
  const limits = limitsOf(tokens, text);
  if (!isProved({ columnsEnd, hasColumns, limits }, select, text)) return null;
  return {
    relations: strictest(locked),
    columnsEnd: columnsEnd + start,
    hasColumns,
    limits: limits.map((limit) => ({
      start: limit.start + start,
      end: limit.end + start,
      text: limit.text,
    })),
    end,
  };
}

/** Verifies the places with the parser: with one column more and without limits, the text still parses as expected. */
function isProved(
  { columnsEnd, hasColumns, limits }: Pick<LockPlaces, 'columnsEnd' | 'hasColumns' | 'limits'>,
  select: SelectStmt,
  text: Buffer,
): boolean {
  const column = { start: columnsEnd, end: columnsEnd, text: hasColumns ? ', 1 ' : ' 1 ' };
  const blanks = limits.map((range) => ({ ...range, text: ' ' }));
  const changed = parseSelect(spliceBytes(text, [column, ...blanks]));
  if (changed === null || changed.limitCount || changed.limitOffset) return false;
  return (changed.targetList?.length ?? 0) === (select.targetList?.length ?? 0) + 1;
}

/** Returns the SELECT that a text is; null if it is anything else. */
export function parseSelect(text: Buffer): SelectStmt | null {
  try {
    const [first] = parseTree(text).stmts ?? [];
    return first?.stmt && 'SelectStmt' in first.stmt ? first.stmt.SelectStmt : null;
  } catch (error) {
    if (error instanceof SqlSyntaxError) return null;
    throw error;
  }
}

interface Locked {
  readonly range: RangeVar;
  readonly wait: LockedRelation['wait'];
}

function lockedBy(clause: LockingClause, ranges: readonly RangeVar[]): Locked[] {
  if (clause.strength === 'LCS_FORKEYSHARE') return [];
  const wait = waits[(clause.waitPolicy ?? 'LockWaitBlock') as keyof typeof waits];
  const named = clause.lockedRels?.flatMap((node) => ('RangeVar' in node ? [node.RangeVar] : []));
  const names = named && new Set(named.map(({ relname }) => relname));
  const chosen = ranges.filter((range) => names?.has(aliasOf(range)) ?? true);
  return chosen.map((range) => ({ range, wait }));
}

/** Returns the locked relation if a function call can replace its name; otherwise nothing. */
function relationOf(
  { range, wait }: Locked,
  uses: ReadonlyMap<number, RelationUse>,
  source: Source,
): LockedRelation[] {
  const use = uses.get((range.location ?? 0) - source.offset);
  const alias = aliasOf(range);
  if (use === undefined || alias === undefined || range.alias?.colnames || use.only) return [];
  if (/^\s*\*/.test(source.text.toString('latin1', use.end, use.end + maxGap))) return [];
  return [{ start: use.start, alias, isNamed: range.alias !== undefined, wait }];
}

/** Maximum distance of a `*` after a name. The `*` includes child tables. */
const maxGap = 64;

function strictest(relations: readonly LockedRelation[]): LockedRelation[] {
  const found = new Map<number, LockedRelation>();
  for (const each of relations) {
    const known = found.get(each.start);
    const isStricter = known && order.indexOf(known.wait) >= order.indexOf(each.wait);
    if (!isStricter) found.set(each.start, each);
  }
  return [...found.values()];
}

/** Returns the start of the FROM that follows the outermost SELECT's columns. */
function endOfColumns(tokens: Tokens): number | null {
  const outermost = wordsOutside(tokens);
  const select = outermost.findIndex(({ word }) => word === 'select');
  const from = outermost.findIndex(
    // `IS DISTINCT FROM` is a comparison
    ({ word }, at) => at > select && word === 'from' && outermost[at - 1]?.word !== 'distinct',
  );
  return select < 0 ? null : (outermost[from]?.start ?? null);
}

const limiting = new Set(['limit', 'offset', 'fetch']);

/** Returns the outermost LIMIT, OFFSET and FETCH, each up to the next clause. */
function limitsOf(tokens: Tokens, text: Buffer): TextPart[] {
  const ends = wordsOutside(tokens).filter(({ word }) => limiting.has(word) || word === 'for');
  const last = tokens.list.at(-1)?.end ?? 0;
  return ends.flatMap(({ word, start }, at) => {
    const end = ends[at + 1]?.start ?? last;
    return limiting.has(word) ? [{ start, end, text: text.subarray(start, end) }] : [];
  });
}

/** Replaces an OFFSET by one that evaluates to 0 and uses the same parameters. */
function withoutOffset({ start, end }: TextPart, { list }: Tokens, text: Buffer): Replacement[] {
  const [word, ...value] = list.filter((token) => token.start >= start && token.end <= end);
  if (word?.text.toLowerCase() !== 'offset') return [];
  const isUnit = /^rows?$/i.test(value.at(-1)?.text ?? '');
  const last = value.at(isUnit ? -2 : -1);
  const count = text.toString('utf8', word.end, last?.end);
  return [{ start, end, text: `OFFSET ((${count}\n)::pg_catalog.int8 * 0) ` }];
}

/** Returns the tokens outside of all parentheses: keywords in lower case, an empty string for anything else. After AS there is a name. */
function wordsOutside(tokens: Tokens): { word: string; start: number }[] {
  return [...tokens.outermost(0)].map((at) => {
    const isName = tokens.word(at - 1) === 'as';
    return { word: isName ? '' : tokens.word(at), start: tokens.list[at]?.start ?? 0 };
  });
}

/**
 * Finds row locking clauses (`FOR UPDATE OF t NOWAIT`) in a statement's text. The parse tree has only their number, so this module searches
 * PostgreSQL's tokens, and verifies the result by parsing the text without the clauses.
 */

import type { FuncCall, SelectStmt } from 'libpg-query';
import { parseTree } from '../parser/parser.ts';
import { SqlSyntaxError } from '../parser/syntax-error.ts';
import { collectNodes, textsOf } from '../parser/syntax-tree.ts';
import { Tokens } from '../parser/tokens.ts';
import type { ByteRange } from '../splice.ts';
import { spliceBytes } from '../splice.ts';

const strengths = [['update'], ['share'], ['no', 'key', 'update'], ['key', 'share']];
const waits = [['nowait'], ['skip', 'locked']];
/** Functions with special syntax, where FOR separates arguments. */
const functionsWithFor = new Set(['substring', 'overlay']);

/** Returns the ranges of exactly `count` locking clauses; null if they cannot be determined with certainty. */
export function findLocking(text: Buffer, count: number): readonly ByteRange[] | null {
  const ranges = clausesOf(Tokens.of(text));
  return ranges.length === count && isFreeOfLocks(text, ranges) ? ranges : null;
}

/** Returns whether PostgreSQL refuses a SELECT's locks because its rows are not those of a table. */
export function locksInVain(select: SelectStmt): boolean {
  const { op = 'SETOP_NONE', larg, rarg, distinctClause, groupClause, havingClause } = select;
  const locks = (query?: SelectStmt) => query?.lockingClause !== undefined;
  if (op !== 'SETOP_NONE') return [select, larg, rarg].some(locks);
  const parts = [distinctClause, groupClause, havingClause, select.valuesLists];
  return locks(select) && (parts.some((part) => part !== undefined) || gathers(select));
}

/** Returns whether a column is computed from several rows: by a window function or a built-in aggregate. */
function gathers({ targetList }: SelectStmt): boolean {
  return callsOf(targetList).some((call) => call.over !== undefined || isAggregate(call));
}

/** Returns the calls in expressions, without those in sub-selects, which have their own rows. */
function callsOf(root: unknown): FuncCall[] {
  if (typeof root !== 'object' || root === null || 'SubLink' in root) return [];
  const own = 'FuncCall' in root ? [root.FuncCall as FuncCall] : [];
  return [...own, ...Object.values(root).flatMap(callsOf)];
}

/** Built-in aggregates with arguments. PostgreSQL reports all others, and those of users, when the statement runs. */
const aggregates = new Set(
  `array_agg avg bit_and bit_or bool_and bool_or count every json_agg json_object_agg jsonb_agg jsonb_object_agg max min
  range_agg stddev string_agg sum variance xmlagg`.split(/\s+/),
);

function isAggregate(call: FuncCall): boolean {
  if (call.agg_star || call.agg_filter || call.agg_order || call.agg_within_group) return true;
  const [name = '', schema = 'pg_catalog'] = textsOf(call.funcname).reverse();
  return schema === 'pg_catalog' && aggregates.has(name);
}

function isFreeOfLocks(text: Buffer, ranges: readonly ByteRange[]): boolean {
  try {
    const rest = spliceBytes(
      text,
      ranges.map((range) => ({ ...range, text: ' ' })),
    );
    return collectNodes(parseTree(rest), 'LockingClause').length === 0;
  } catch (error) {
    if (error instanceof SqlSyntaxError) return false;
    throw error;
  }
}

function clausesOf(tokens: Tokens): ByteRange[] {
  const ranges: ByteRange[] = [];
  /** For each open parenthesis, whether FOR separates arguments in it. */
  const open: boolean[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const word = tokens.word(at);
    if (word === '(') open.push(functionsWithFor.has(tokens.word(at - 1)));
    else if (word === ')') open.pop();
    else if (word === 'for' && !open.at(-1)) {
      const end = clauseEnd(tokens, at);
      if (end > at) ranges.push(tokens.range(at, end));
    }
  }
  return ranges;
}

/** Returns the token after the clause that begins at `start`; `start` itself if no clause begins there. */
function clauseEnd(tokens: Tokens, start: number): number {
  let at = afterOneOf(tokens, start + 1, strengths);
  if (at === start + 1) return start;
  if (tokens.word(at) === 'of') at = afterNames(tokens, at + 1);
  return afterOneOf(tokens, at, waits);
}

function afterOneOf(tokens: Tokens, at: number, phrases: readonly string[][]): number {
  const phrase = phrases.find((words) =>
    words.every((word, index) => tokens.word(at + index) === word),
  );
  return at + (phrase?.length ?? 0);
}

/** Skips `name [. name] [, ...]`. A name is one token, except for `U&"..." UESCAPE '...'`. */
function afterNames(tokens: Tokens, start: number): number {
  let at = start;
  for (;;) {
    at += tokens.word(at + 1) === 'uescape' ? 3 : 1;
    if (tokens.word(at) !== '.' && tokens.word(at) !== ',') return at;
    at += 1;
  }
}

/** The names that the statements of a text use, with their places: for function bodies and parts of them. */

import { parseQuery } from '../classify/parse-query.ts';
import type { Grouping } from '../locate/grouping.ts';
import type { WholeRow } from '../locate/whole-rows.ts';
import { SqlSyntaxError } from '../parser/syntax-error.ts';
import type { CallPlace, Qualifier, RelationUse } from '../places.ts';
import type { Read } from '../read.ts';
import type { ByteRange } from '../splice.ts';
import type { Statement, Verdict } from '../verdict.ts';
import type { QueryWrite, Right } from '../write.ts';
import type { BodyReplacement, BodyUpsert, FirstWord } from './body-upserts.ts';
import { bodyUpserts, firstWord, movedUpserts } from './body-upserts.ts';
import type { FunctionUse, QualifiedName, UnclearCall } from './calls.ts';
import { notification } from './notifications.ts';

/** The statements that a body may have: reads, also writes to one table each and reads that lock rows, or also writes to several. */
export type Extent = 'reads' | 'rows' | 'writes';

/** The names that a text uses. Places count from the start of the text. */
export interface BodyUses {
  readonly relations: readonly RelationUse[];
  readonly called: readonly CallPlace[];
  readonly qualifiers: readonly Qualifier[];
  readonly groupings: readonly Grouping[];
  readonly wholeRows: readonly WholeRow[];
  /** The called functions, without places, for checks of their effects. */
  readonly functions: readonly FunctionUse[];
  readonly unclear: readonly UnclearCall[];
  /** The writes of its statements. */
  readonly writes: readonly BodyWrite[];
  /** The same writes with the values that they give. Places count like those of their targets. */
  readonly rights: readonly Right[];
  /** The row locking clauses. A staged function must not have them. */
  readonly locking: readonly ByteRange[];
  /** The ON CONFLICT clauses. */
  readonly upserts: readonly BodyUpsert[];
  /** The functions that its statements with targets call, other than those of `callers`. */
  readonly calledByWrites: readonly QualifiedName[];
  /** The plain INSERT, UPDATE and DELETE statements that call functions. */
  readonly callers: readonly BodyCaller[];
  /** What its statements do to the tables that they write to. DO UPDATE is an operation of its own. */
  readonly operations: readonly BodyOperation[];
  /** The types of variables that may be rows of relations. */
  readonly declared: readonly DeclaredType[];
  /** Whether it runs a text that depends on more than a call of format() with constants, quoted names and values. */
  readonly runsVariableText: boolean;
}

/** The type of a variable: `t` or `t%ROWTYPE`. */
export interface DeclaredType extends QualifiedName, ByteRange {}

/** What a statement of a body does to a table. */
export interface BodyOperation
  extends Pick<Right, 'target' | 'operation' | 'columns' | 'reads' | 'returned'> {
  readonly first: FirstWord;
}

/** A statement of a body that writes and calls functions. */
export interface BodyCaller extends Pick<Right, 'target' | 'operation'> {
  readonly first: FirstWord;
  readonly called: readonly QualifiedName[];
}

/** One statement of a body that writes to a table. */
export interface BodyWrite extends QualifiedName, Pick<Right, 'operation' | 'columns' | 'given'> {}

/** The parsed body of a function. */
export interface FunctionBody {
  readonly uses: BodyUses;
  /** Returns the body with names replaced; null if anything else in it would change. */
  replaced(replacements: readonly BodyReplacement[]): Promise<Buffer | null>;
}

/**
 * Returns the names that the statements of a text use; null if one of them is beyond the given extent. The relation that a statement writes
 * to has its `target`.
 * @param mayDraw whether queries may draw from sequences
 */
export function usesOf(
  text: Buffer,
  extent: Extent = 'reads',
  mayDraw = extent !== 'reads',
): BodyUses | null {
  const parts: BodyUses[] = [];
  for (const { start, verdict, text: statement } of parsed(text)) {
    const own =
      verdict.kind === 'refuse'
        ? notifyUses(statement)
        : usesOfStatement(verdict, text.subarray(start), extent, mayDraw);
    if (own === null) return null;
    parts.push(movedUses(own, (at) => at + start));
  }
  return mergedUses(parts);
}

function usesOfStatement(
  verdict: Verdict,
  text: Buffer,
  extent: Extent,
  mayDraw: boolean,
): BodyUses | null {
  const isRead = verdict.kind === 'read';
  if (!isRead && !isWriteWithin(verdict, extent) && !(mayDraw && isDraw(verdict))) return null;
  if (verdict.locking.length > 0 && extent === 'reads') return null;
  return isRead ? readUses(verdict) : writeUses(verdict, text);
}

/** Returns the uses of the statement NOTIFY; null for another one. */
function notifyUses(statement: Buffer): BodyUses | null {
  const notify = notification(statement);
  return notify && { ...mergedUses([]), ...notify };
}

/** Returns the uses of a statement that writes; null if it has an ON CONFLICT clause that cannot be followed. */
function writeUses(write: QueryWrite, text: Buffer): BodyUses | null {
  const upserts = bodyUpserts(text, write.upserts);
  if (upserts === null) return null;
  const callers = callersOf(write, text);
  const calledByWrites = write.rights.length > 0 && callers.length === 0 ? write.called : [];
  const operations = operationsOf(write, text);
  return {
    ...write,
    writes: writesOf(write),
    calledByWrites,
    callers,
    upserts,
    operations,
    declared: [],
    runsVariableText: false,
  };
}

/** Returns a statement if it is a plain write that calls functions. These may write, because the write is announced before they run. */
function callersOf({ rights, upserts, called }: QueryWrite, text: Buffer): BodyCaller[] {
  const [right, ...others] = rights;
  const first = firstWord(text);
  if (!right || !first || others.length + upserts.length > 0 || called.length === 0) return [];
  return [{ target: right.target, operation: right.operation, first, called }];
}

function operationsOf({ rights }: QueryWrite, text: Buffer): BodyOperation[] {
  const first = firstWord(text);
  return first ? rights.map((right) => ({ ...right, first })) : [];
}

const writesOf = ({ relations, rights }: QueryWrite): BodyWrite[] =>
  rights.flatMap(({ target, operation, columns, given }) => {
    const use = relations.find(({ start }) => start === target);
    return use ? [{ schema: use.schema, name: use.name, operation, columns, given }] : [];
  });

function isWriteWithin(verdict: Verdict, extent: Extent): verdict is QueryWrite {
  if (extent === 'reads' || verdict.kind !== 'write' || verdict.form !== 'query') return false;
  return extent === 'rows' ? isSingleWrite(verdict) : isPlainWrite(verdict);
}

/** Returns whether a query writes to no table: it counts as a write because it calls nextval(), or setval(), which is refused elsewhere. */
const isDraw = (verdict: Verdict): verdict is QueryWrite =>
  verdict.kind === 'write' &&
  verdict.form === 'query' &&
  !verdict.stagesCalls &&
  verdict.rights.length === 0 &&
  isPlainWrite(verdict);

/** Returns whether a write is no DO block, MERGE or write with OVERRIDING, and has at most one ON CONFLICT clause. */
function isPlainWrite(write: QueryWrite): boolean {
  const { upserts, overriding, merges, replacement, stagesCalls } = write;
  // guard: a block within a body is not passed over
  if (stagesCalls === 'DO') return false;
  // guard: OVERRIDING and MERGE of a function are not lost
  return overriding.length + merges.length === 0 && upserts.length <= 1 && !replacement;
}

/** Returns whether a statement inserts, updates or deletes rows of one table, without OVERRIDING, or is a CALL. */
function isSingleWrite(verdict: QueryWrite): boolean {
  if (verdict.stagesCalls === 'CALL') return true;
  const targets = verdict.relations.filter(({ target }) => target !== null);
  // guard: a trigger's OVERRIDING and MERGE are not lost
  if (verdict.overriding.length + verdict.merges.length > 0) return false;
  const isOne = verdict.rights.every(({ target }) => target === targets[0]?.start);
  return targets.length === 1 && isOne && !verdict.replacement;
}

/** Parses and classifies a text. A text with a syntax error counts as one that writes. */
function parsed(text: Buffer): readonly Statement[] {
  try {
    return parseQuery(text);
  } catch (error) {
    if (!(error instanceof SqlSyntaxError)) throw error;
    return [{ start: 0, text, verdict: { kind: 'control', action: { type: 'pass' } } }];
  }
}

/** Returns the uses of a read. */
export const readUses = (read: Read): BodyUses => ({
  ...read,
  ...{ rights: [], writes: [], upserts: [], calledByWrites: [], callers: [], operations: [] },
  ...{ declared: [], runsVariableText: false },
});

/** Returns the same uses with each position mapped by `moved`. */
export function movedUses(uses: BodyUses, moved: (at: number) => number): BodyUses {
  const move = <Use extends { start: number; end: number }>(use: Use): Use => {
    return { ...use, start: moved(use.start), end: moved(use.end) };
  };
  return {
    relations: uses.relations.map(move),
    called: uses.called.map(move),
    qualifiers: uses.qualifiers.map(move),
    groupings: uses.groupings.map((grouping) => ({
      ...grouping,
      start: moved(grouping.start),
      ranges: grouping.ranges.map((range) => ({ ...range, relation: moved(range.relation) })),
    })),
    wholeRows: uses.wholeRows.map((row) => ({
      ...move(row),
      relation: moved(row.relation),
      call: row.call === null ? null : moved(row.call),
    })),
    functions: uses.functions,
    unclear: uses.unclear,
    rights: uses.rights.map((right) => ({ ...right, target: moved(right.target) })),
    locking: uses.locking.map(move),
    writes: uses.writes,
    upserts: movedUpserts(uses.upserts, moved),
    calledByWrites: uses.calledByWrites,
    callers: uses.callers.map((caller) => {
      return { ...caller, target: moved(caller.target), first: move(caller.first) };
    }),
    operations: uses.operations.map((operation) => {
      return { ...operation, target: moved(operation.target), first: move(operation.first) };
    }),
    declared: uses.declared.map(move),
    runsVariableText: uses.runsVariableText,
  };
}

/** Merges the uses of several parts of a text. */
export function mergedUses(parts: readonly BodyUses[]): BodyUses {
  return {
    relations: parts.flatMap(({ relations }) => relations),
    called: parts.flatMap(({ called }) => called),
    qualifiers: parts.flatMap(({ qualifiers }) => qualifiers),
    groupings: parts.flatMap(({ groupings }) => groupings),
    wholeRows: parts.flatMap(({ wholeRows }) => wholeRows),
    functions: parts.flatMap(({ functions }) => functions),
    unclear: parts.flatMap(({ unclear }) => unclear),
    rights: parts.flatMap(({ rights }) => rights),
    locking: parts.flatMap(({ locking }) => locking),
    writes: parts.flatMap(({ writes }) => writes),
    upserts: parts.flatMap(({ upserts }) => upserts),
    calledByWrites: parts.flatMap(({ calledByWrites }) => calledByWrites),
    callers: parts.flatMap(({ callers }) => callers),
    operations: parts.flatMap(({ operations }) => operations),
    declared: parts.flatMap(({ declared }) => declared),
    runsVariableText: parts.some(({ runsVariableText }) => runsVariableText),
  };
}

/** The names that a text of plain reads uses, with their places: for function bodies and parts of them. */

import { parseQuery } from '../classify/parse-query.ts';
import type { Grouping } from '../locate/grouping.ts';
import { SqlSyntaxError } from '../parser/syntax-error.ts';
import type { CallPlace, Qualifier, RelationUse } from '../places.ts';
import type { Replacement } from '../splice.ts';
import type { Statement, Verdict } from '../verdict.ts';
import type { QueryWrite, Right } from '../write.ts';
import type { FunctionUse, QualifiedName, UnclearCall } from './calls.ts';

/** The names that a text uses. Places count from the start of the text. */
export interface BodyUses {
  readonly relations: readonly RelationUse[];
  readonly called: readonly CallPlace[];
  readonly qualifiers: readonly Qualifier[];
  readonly groupings: readonly Grouping[];
  /** The called functions, without places, for checks of their effects. */
  readonly functions: readonly FunctionUse[];
  readonly unclear: readonly UnclearCall[];
  /** What its statements write. */
  readonly writes: readonly BodyWrite[];
}

/** One statement of a body that writes to a table. */
export interface BodyWrite extends QualifiedName, Pick<Right, 'operation' | 'columns'> {}

/** The body of a function that only reads. */
export interface FunctionBody {
  readonly uses: BodyUses;
  /** Returns the body with names replaced; null if anything else in it would change. */
  replaced(replacements: readonly Replacement[]): Promise<Buffer | null>;
}

/**
 * Returns the names that the statements of a text use; null unless all of them are reads that lock no rows.
 * @param writes whether they may be plain writes to one table, too; the relation that one writes to has its `target`
 */
export function usesOf(text: Buffer, writes = false): BodyUses | null {
  const parts: BodyUses[] = [];
  for (const { start, verdict } of parsed(text)) {
    const isKnown = verdict.kind === 'read' || (writes && isPlainWrite(verdict));
    if (!isKnown || verdict.locking.length > 0) return null;
    const written = verdict.kind === 'write' ? writesOf(verdict) : [];
    parts.push(movedUses({ ...verdict, writes: written }, (at) => at + start));
  }
  return mergedUses(parts);
}

const writesOf = ({ relations, rights }: QueryWrite): BodyWrite[] =>
  rights.flatMap(({ target, operation, columns }) => {
    const use = relations.find(({ start }) => start === target);
    return use ? [{ schema: use.schema, name: use.name, operation, columns }] : [];
  });

/** Whether a statement inserts, updates or deletes rows of one table, without clauses that the proxy itself handles. */
function isPlainWrite(verdict: Verdict): verdict is QueryWrite {
  if (verdict.kind !== 'write' || verdict.form !== 'query') return false;
  const targets = verdict.relations.filter(({ target }) => target !== null);
  // guard: a trigger's ON CONFLICT and OVERRIDING are not lost
  if (verdict.upserts.length + verdict.overriding.length + verdict.merges.length > 0) return false;
  return targets.length === 1 && verdict.rights.length === 1 && !verdict.replacement;
}

/** Parses and classifies a text. A text with a syntax error counts as one that does not only read. */
function parsed(text: Buffer): readonly Pick<Statement, 'start' | 'verdict'>[] {
  try {
    return parseQuery(text);
  } catch (error) {
    if (!(error instanceof SqlSyntaxError)) throw error;
    return [{ start: 0, verdict: { kind: 'control', action: { type: 'pass' } } }];
  }
}

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
    functions: uses.functions,
    unclear: uses.unclear,
    writes: uses.writes,
  };
}

/** Merges the uses of several parts of a text. */
export function mergedUses(parts: readonly BodyUses[]): BodyUses {
  return {
    relations: parts.flatMap(({ relations }) => relations),
    called: parts.flatMap(({ called }) => called),
    qualifiers: parts.flatMap(({ qualifiers }) => qualifiers),
    groupings: parts.flatMap(({ groupings }) => groupings),
    functions: parts.flatMap(({ functions }) => functions),
    unclear: parts.flatMap(({ unclear }) => unclear),
    writes: parts.flatMap(({ writes }) => writes),
  };
}

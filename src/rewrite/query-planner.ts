/** Plans the handling of a query text from the text alone. Plans are cached per text for all connections. */

import type { ProxySettings } from '../server-connection/connected-pair.ts';
import { refuseReserved } from '../server-connection/reserved-names.ts';
import { classifyApart } from '../sql/classify/classify-apart.ts';
import { createVerdictCache } from '../sql/classify/verdict-cache.ts';
import type { FunctionUse } from '../sql/functions/calls.ts';
import {
  changesPath,
  functionRefusal,
  isNamedByParameter,
  refusedFunctions,
} from '../sql/functions/functions.ts';
import { isLastNumber } from '../sql/functions/last-numbers.ts';
import { ShapeReader } from '../sql/parser/shape.ts';
import { isLight } from '../sql/parser/text-weight.ts';
import type { Read } from '../sql/read.ts';
import { Recent } from '../sql/recent.ts';
import type { Refusal } from '../sql/refusal.ts';
import type { Replacement } from '../sql/splice.ts';
import { spliceBytes } from '../sql/splice.ts';
import type { Statement, Verdict } from '../sql/verdict.ts';
import type { QueryWrite } from '../sql/write.ts';
import type { QueryPlan, TextClass } from './query-plan.ts';
import { isReadOfShape, samePlan, writeOfShape } from './shared-plans.ts';
import { isReworded, rewordings } from './statement-lists.ts';

export interface QueryPlanner {
  /**
   * Returns the class of a text. It may come from another text that differs only in the values of literals. Null if the text is unknown and
   * too heavy to be parsed here; `planApart` plans it then.
   * @throws SqlSyntaxError as `plan` does
   */
  classify(text: Buffer): TextClass | null;
  /**
   * Returns the plan of a text. For a write it may come from another text that differs only in literals. Null as for `classify`.
   * @throws SqlSyntaxError if PostgreSQL's grammar rejects the text, unless because of a literal's value
   */
  plan(text: Buffer): QueryPlan | null;
  /** Returns the plan of a text if exactly this text is cached. */
  known(text: Buffer): QueryPlan | undefined;
  /**
   * Returns the plan of a text that is parsed in the parse thread.
   * @param gone aborted when the caller no longer needs the result
   * @throws SqlSyntaxError as `plan` does; StageError when too many texts wait, or the thread ends because of this text
   */
  planApart(text: Buffer, gone: AbortSignal): Promise<QueryPlan>;
}

/** Creates the planner, with caches that all connections share. */
export function createQueryPlanner(settings: ProxySettings): QueryPlanner {
  const { statementCacheSize, maxStatementBytes, allowFunctions } = settings;
  const cache = createVerdictCache(statementCacheSize, { maxStatementBytes });
  const plans = new WeakMap<readonly Statement[], QueryPlan>();
  const shapes = new ShapeReader();
  const textClasses = new Recent<TextClass>(statementCacheSize, maxShapeBytes);
  const writes = new Recent<QueryPlan>(statementCacheSize, maxShapeBytes);

  const shapeOf = (text: Buffer) =>
    statementCacheSize > 0 && text.length <= maxStatementBytes ? shapes.read(text) : null;

  const planOf = (text: Buffer, statements: readonly Statement[]) => {
    const made = plans.get(statements) ?? makePlan(Buffer.from(text), statements, allowFunctions);
    plans.set(statements, made);
    return made;
  };
  const makeAndCachePlan = (text: Buffer, shape: string | null) => {
    // guard: heavy texts are parsed apart
    if (text.length <= maxStatementBytes && !isLight(text) && !cache.recall(text)) return null;
    const statements = cache.classify(text);
    const known = plans.get(statements);
    if (known) return known;
    const made = planOf(text, statements);
    if (shape === null) return made;
    if (isReadOfShape(made)) textClasses.set(shape, textClassOf(made));
    const shared = writeOfShape(made, shape);
    if (shared !== null) writes.set(shape, shared);
    return made;
  };
  const planFor = (text: Buffer, shape: string | null) => {
    const alike = shape === null ? undefined : writes.get(shape);
    return alike ? samePlan(alike, text) : makeAndCachePlan(text, shape);
  };
  return {
    plan(text) {
      // A repeatedly prepared statement has the same text, byte by byte.
      return this.known(text) ?? planFor(text, shapeOf(text));
    },
    known(text) {
      const statements = cache.recall(text);
      return statements && plans.get(statements);
    },
    classify(text) {
      const shape = shapeOf(text);
      const known = shape === null ? undefined : textClasses.get(shape);
      return known ?? planFor(text, shape);
    },
    planApart: async (text, gone) =>
      planOf(text, cache.store(text, await classifyApart(text, maxStatementBytes, gone))),
  };
}

const maxShapeBytes = 4 * 1024 * 1024;

function textClassOf(plan: QueryPlan): TextClass {
  const { text: _text, statements: _statements, ...textClass } = plan;
  return textClass;
}

function makePlan(
  text: Buffer,
  statements: readonly Statement[],
  allowed: readonly string[],
): QueryPlan {
  const verdicts = statements.map(({ verdict }) => verdict);
  const replaced = statements.flatMap(({ start, verdict }) => {
    const read = readOf(verdict);
    return read === null ? [] : fixedReplacements(read, start);
  });
  const kinds = verdicts.map(kindOf);
  return {
    text,
    statements,
    refusal: firstRefusal(text, statements, allowed),
    passes: !kinds.includes('step'),
    passingText: replaced.length === 0 ? null : spliceBytes(text, replaced),
    reads: kinds.filter((kind) => kind === 'read').length,
    hasSettings: kinds.includes('setting'),
    hasNames: verdicts.some((verdict) => hasNames(readOf(verdict))),
    changesPath: verdicts.some(movesPath),
    declaresHold: verdicts.some((verdict) => heldCursor(verdict) !== null),
    unclear: verdicts.flatMap((verdict) => readOf(verdict)?.unclear ?? []),
  };
}

/** Returns the read that a statement runs or declares, or null. */
export function readOf(verdict: Verdict): Read | null {
  if (verdict.kind !== 'control') return verdict.kind === 'read' ? verdict : null;
  return verdict.action.type === 'declare' ? verdict.action.body : null;
}

/** Returns whether a read names relations or functions, which stand-ins may replace. */
export function hasNames(read: Read | null): boolean {
  return read !== null && read.relations.length + read.called.length > 0;
}

/** Returns whether a statement is an EXPLAIN of a write. */
export function explainsWrite(verdict: Verdict): boolean {
  return verdict.kind === 'read' && verdict.explainsWrite === true;
}

/** Returns the name of the cursor WITH HOLD that a statement declares; null for any other statement. */
export function heldCursor(verdict: Verdict): string | null {
  if (verdict.kind !== 'control' || verdict.action.type !== 'declare') return null;
  return verdict.action.holds ? verdict.action.name : null;
}

/**
 * Returns the replacements that depend on the text alone: row locking clauses are blanked, an internal text replaces the whole, and lists
 * of statements show those of the client.
 * @param offset start of the statement in the text to which the places refer
 */
export function fixedReplacements(body: Read | QueryWrite, offset = 0): readonly Replacement[] {
  const { locking, replacement } = body;
  if (locking.length === 0 && !replacement && !isReworded(body)) return nothing;
  const blanks = locking.map(({ start, end }) => ({ start, end, text: ' '.repeat(end - start) }));
  const all = [...blanks, ...(replacement ? [replacement] : []), ...rewordings(body)];
  return all.map(({ start, end, text }) => ({ start: start + offset, end: end + offset, text }));
}

const nothing: readonly Replacement[] = [];

function kindOf(verdict: Verdict): 'read' | 'setting' | 'step' {
  // the client's texts, or a query for rights, are sent before it; errors of an EXPLAIN of a write are not forwarded unchanged
  if (verdict.kind === 'read')
    return explainsWrite(verdict) || isReworded(verdict) || verdict.locking[0] ? 'step' : 'read';
  if (verdict.kind !== 'control') return 'step';
  switch (verdict.action.type) {
    case 'declare':
      // the proxy stores the client's text of the cursor's query
      return fixedReplacements(verdict.action.body).length > 0 ? 'step' : 'read';
    case 'fetch':
    case 'close':
    case 'pass':
      return 'read';
    case 'set':
    case 'set path':
      return 'setting';
    default:
      return 'step';
  }
}

/** Returns the first refusal. If there are several statements, it includes the position of the refused one. */
function firstRefusal(
  text: Buffer,
  statements: readonly Statement[],
  allowed: readonly string[],
): Refusal | null {
  for (const { start, verdict } of statements) {
    const refusal = refusalOf(verdict, allowed);
    if (refusal === null) continue;
    if (statements.length === 1) return refusal;
    return { ...refusal, position: [...text.toString('utf8', 0, start)].length + 1 };
  }
  return null;
}

function refusalOf(verdict: Verdict, allowed: readonly string[]): Refusal | null {
  if (verdict.kind === 'refuse') return verdict;
  const reserved = refuseReserved(verdict);
  if (reserved) return reserved;
  const refused = refusedFunctions(readFunctions(verdict), 'read', allowed) ?? unreplaced(verdict);
  return refused ? functionRefusal(refused) : null;
}

/** Returns the call of lastval() in an argument of EXECUTE, whose text is not changed; null without one. */
function unreplaced(verdict: Verdict): FunctionUse | null {
  if (verdict.kind !== 'control' || verdict.action.type !== 'execute') return null;
  return verdict.action.calls.functions.find(isLastNumber) ?? null;
}

/**
 * Returns the functions of a statement that run READ ONLY and whose names decide whether they may run. Those of writes are checked when the
 * writes are staged.
 */
function readFunctions(verdict: Verdict): readonly FunctionUse[] {
  const isControl = verdict.kind === 'control';
  if (isControl && verdict.action.type === 'execute') return verdict.action.calls.functions;
  const isPrepare = isControl && verdict.action.type === 'prepare';
  const read = isPrepare ? readOf(verdict.action.body) : readOf(verdict);
  return read?.functions.filter((use) => !isNamedByParameter(use)) ?? [];
}

/** Returns the calls in a read that set the setting named by a parameter. They are checked once the parameter has a value. */
export function namedByParameter(verdict: Verdict): readonly FunctionUse[] {
  return readOf(verdict)?.functions.filter(isNamedByParameter) ?? [];
}

/** Returns whether names may resolve differently after a statement. */
export function movesPath(verdict: Verdict): boolean {
  if (verdict.kind === 'control') return ['set path', 'reset all'].includes(verdict.action.type);
  return changesPath(readOf(verdict)?.functions ?? []);
}

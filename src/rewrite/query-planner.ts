/** What is to be done with a query text, as far as its text alone tells: worked out once per text for all connections. */

import type { ProxySettings } from '../server-connection/connected-pair.ts';
import { refuseReserved } from '../server-connection/reserved-names.ts';
import { classifyApart } from '../sql/classify/classify-apart.ts';
import { createVerdictCache } from '../sql/classify/verdict-cache.ts';
import type { FunctionUse, UnclearCall } from '../sql/functions/calls.ts';
import {
  changesPath,
  functionRefusal,
  isNamedByParameter,
  refusedFunctions,
} from '../sql/functions/functions.ts';
import { firstLiteral, ShapeReader } from '../sql/parser/shape.ts';
import { isLight } from '../sql/parser/text-weight.ts';
import type { Read } from '../sql/read.ts';
import { Recent } from '../sql/recent.ts';
import type { Refusal } from '../sql/refusal.ts';
import type { Replacement } from '../sql/splice.ts';
import { spliceBytes } from '../sql/splice.ts';
import type { Statement, Verdict } from '../sql/verdict.ts';
import type { QueryWrite } from '../sql/write.ts';

/** What tells whether a text can pass, and what has to be minded then. */
export interface TextClass {
  /** Of the first statement that is refused: none of them may run then. */
  readonly refusal: Refusal | null;
  /** Whether it can be sent in one piece, being nothing but reads and harmless commands. */
  readonly passes: boolean;
  /** The text to send when it passes, with what is replaced in it; null where that is as received. */
  readonly passingText: Buffer | null;
  /** How many of them run queries, which must be guarded where writing is possible. */
  readonly reads: number;
  /** Whether some of it looks at or changes settings, which must not be guarded. */
  readonly hasSettings: boolean;
  /** Whether relations are read or functions called, so that the text depends on the connection's way of reading. */
  readonly hasNames: boolean;
  /** Whether names may mean something else afterwards. */
  readonly changesPath: boolean;
  /** Whether a cursor WITH HOLD is declared, which is not let be where writing is possible. */
  readonly holds: boolean;
  /** What reads call of which only the catalog can tell whether they may. */
  readonly unclear: readonly UnclearCall[];
}

export interface QueryPlan extends TextClass {
  /** The client's whole text; shared, so it must not be written into. */
  readonly text: Buffer;
  readonly statements: readonly Statement[];
}

export interface QueryPlanner {
  /**
   * Gives the class of a text, which may be known from another one that differs in nothing but the values of literals; null for
   * one that is not known and too heavy to be parsed here: it is to be planned by `planApart`.
   * @throws SqlSyntaxError as `plan` does
   */
  look(text: Buffer): TextClass | null;
  /**
   * Gives the plan of a text, which for a write may be made from another one that differs in nothing but literals; null as above.
   * @throws SqlSyntaxError when PostgreSQL's grammar does not accept the text, unless for the value of a literal
   */
  plan(text: Buffer): QueryPlan | null;
  /** Gives the plan of a text if exactly that one is known. */
  known(text: Buffer): QueryPlan | undefined;
  /**
   * Gives the plan of a text that is parsed in another thread.
   * @param gone aborted when nobody waits for it any more
   * @throws SqlSyntaxError as `plan` does; StageError when too many texts wait, or the thread ends over this one
   */
  planApart(text: Buffer, gone: AbortSignal): Promise<QueryPlan>;
}

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
  const planAnew = (text: Buffer, shape: string | null) => {
    // guard: heavy texts are parsed apart
    if (text.length <= maxStatementBytes && !isLight(text) && !cache.recall(text)) return null;
    const statements = cache.classify(text);
    const known = plans.get(statements);
    if (known) return known;
    const made = planOf(text, statements);
    if (shape !== null && isReadOfShape(made)) textClasses.set(shape, textClassOf(made));
    else if (shape !== null && isWriteOfShape(made, shape)) writes.set(shape, made);
    return made;
  };
  const planFor = (text: Buffer, shape: string | null) => {
    const alike = shape === null ? undefined : writes.get(shape);
    return alike ? samePlan(alike, text) : planAnew(text, shape);
  };
  return {
    plan(text) {
      // What is prepared again and again is the same text, byte by byte.
      return this.known(text) ?? planFor(text, shapeOf(text));
    },
    known(text) {
      const statements = cache.recall(text);
      return statements && plans.get(statements);
    },
    look(text) {
      const shape = shapeOf(text);
      const known = shape === null ? undefined : textClasses.get(shape);
      return known ?? planFor(text, shape);
    },
    planApart: async (text, gone) =>
      planOf(text, cache.keep(text, await classifyApart(text, maxStatementBytes, gone))),
  };
}

const maxShapeBytes = 4 * 1024 * 1024;

/** Whether it is one statement of a kind in which no literal decides anything, as in EXPLAIN's options and in settings. */
function isOfShape({ refusal, statements, passingText }: QueryPlan): boolean {
  const [statement, ...others] = statements;
  if (refusal !== null || passingText !== null || others.length > 0) return false;
  const { verdict } = statement ?? {};
  if (verdict?.kind !== 'read' && !(verdict?.kind === 'write' && verdict.form === 'query'))
    return false;
  // the name of the setting decides
  // guard: what a literal decides outside of queries is not taken from another text
  // guard: what a literal decides is not taken from another text
  return verdict.isQuery === true && !verdict.functions.some(({ name }) => name === 'set_config');
}

/** Whether the class of a read is the same for its whole shape. Places in it are not: literals differ in length. */
function isReadOfShape(plan: QueryPlan): boolean {
  return plan.statements[0]?.verdict.kind === 'read' && isOfShape(plan);
}

/** Whether a write is the same for its whole shape, being classified without parts of its text, and all places before literals. */
function isWriteOfShape(plan: QueryPlan, shape: string): boolean {
  const [statement] = plan.statements;
  if (statement?.verdict.kind !== 'write' || statement.verdict.form !== 'query') return false;
  if (!isOfShape(plan)) return false;
  const { locking, upserts, merges, groupings, relations, qualifiers } = statement.verdict;
  if ([locking, upserts, merges, groupings].some(({ length }) => length > 0)) return false;
  const fixed = firstLiteral(shape) - statement.start;
  return [...relations, ...qualifiers].every(({ end }) => end <= fixed);
}

/** The plan of a write for another text of its shape. */
function samePlan(alike: QueryPlan, text: Buffer): QueryPlan {
  const copy = Buffer.from(text);
  const [{ start, text: sample, verdict }] = alike.statements as readonly [Statement];
  // Behind a statement there is a semicolon, and spaces: no literal.
  const behind = alike.text.length - start - sample.length;
  const own = copy.subarray(start, copy.length - behind);
  return { ...alike, text: copy, statements: [{ start, text: own, verdict }] };
}

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
    holds: verdicts.some(holdsCursor),
    unclear: verdicts.flatMap((verdict) => readOf(verdict)?.unclear ?? []),
  };
}

/** The read that a statement runs or declares. */
export function readOf(verdict: Verdict): Read | null {
  if (verdict.kind === 'read') return verdict;
  return verdict.kind === 'control' && verdict.action.type === 'declare'
    ? verdict.action.body
    : null;
}

/** Whether a read names relations or functions, which may stand for what is staged. */
export function hasNames(read: Read | null): boolean {
  return read !== null && read.relations.length + read.called.length > 0;
}

/** Whether a statement is an EXPLAIN of a write. */
export function explainsWrite(verdict: Verdict): boolean {
  return verdict.kind === 'read' && verdict.explainsWrite === true;
}

/** Whether a statement declares a cursor WITH HOLD. */
export function holdsCursor(verdict: Verdict): boolean {
  return verdict.kind === 'control' && verdict.action.type === 'declare' && verdict.action.holds;
}

/**
 * What is replaced whatever a statement's names mean: row locking clauses are taken out, and a text of ours stands for the
 * whole. From the start of the statement, or of what begins before it.
 */
export function fixedReplacements(
  { locking, standIn }: Read | QueryWrite,
  offset = 0,
): readonly Replacement[] {
  if (locking.length === 0 && !standIn) return nothing;
  const blanks = locking.map(({ start, end }) => ({ start, end, text: ' '.repeat(end - start) }));
  return (standIn ? [...blanks, standIn] : blanks).map(({ start, end, text }) => ({
    start: start + offset,
    end: end + offset,
    text,
  }));
}

const nothing: readonly Replacement[] = [];

function kindOf(verdict: Verdict): 'read' | 'setting' | 'step' {
  // its error is not told as it comes
  if (verdict.kind === 'read') return explainsWrite(verdict) ? 'step' : 'read';
  if (verdict.kind !== 'control') return 'step';
  switch (verdict.action.type) {
    case 'declare':
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

/** With its place, where there are other statements beside the one that is refused. */
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
  const refused = refusedFunctions(readFunctions(verdict), 'read', allowed);
  return refused ? functionRefusal(refused) : null;
}

/**
 * The functions of a statement that run READ ONLY, and of which the text tells whether they may; those of writes are classified when
 * they are staged.
 */
function readFunctions(verdict: Verdict): readonly FunctionUse[] {
  const isControl = verdict.kind === 'control';
  if (isControl && verdict.action.type === 'execute') return verdict.action.calls.functions;
  const isPrepare = isControl && verdict.action.type === 'prepare';
  const read = isPrepare ? readOf(verdict.action.body) : readOf(verdict);
  return read?.functions.filter((use) => !isNamedByParameter(use)) ?? [];
}

/** The calls in a read that set what a parameter names: they are judged once that has a value. */
export function namedByParameter(verdict: Verdict): readonly FunctionUse[] {
  return readOf(verdict)?.functions.filter(isNamedByParameter) ?? [];
}

/** Whether names may mean something else once a statement has run. */
export function movesPath(verdict: Verdict): boolean {
  if (verdict.kind === 'control') return ['set path', 'reset all'].includes(verdict.action.type);
  return changesPath(readOf(verdict)?.functions ?? []);
}

/** What is to be done with a query text, as far as its text alone tells: worked out once per text for all connections. */
import { changesPath, functionRefusal, refusedFunctions } from '../sql/functions.ts';
import { Recent } from '../sql/recent.ts';
import { ShapeReader } from '../sql/shape.ts';
import type { Replacement } from '../sql/splice.ts';
import { spliceBytes } from '../sql/splice.ts';
import type { FunctionUse, Read, Refusal, Statement, Verdict, Write } from '../sql/verdict.ts';
import { createVerdictCache } from '../sql/verdict-cache.ts';
import { refuseReserved } from './reserved-names.ts';
import type { ProxySettings } from './types.ts';

/** What tells whether a text can pass, and what has to be minded then. */
export interface Outlook {
  /** Of the first statement that is refused: none of them may run then. */
  readonly refusal: Refusal | null;
  /** Whether it can be sent in one piece, being nothing but reads and harmless commands. */
  readonly passes: boolean;
  /** The text to send when it passes, without row locking clauses; null where that is as received. */
  readonly passingText: Buffer | null;
  /** How many of them run queries, which must be guarded where writing is possible. */
  readonly reads: number;
  /** Whether some of it looks at or changes settings, which must not be guarded. */
  readonly hasSettings: boolean;
  /** Whether relations are read, so that the text depends on the connection's way of reading. */
  readonly hasRelations: boolean;
  /** Whether names may mean something else afterwards. */
  readonly changesPath: boolean;
}

export interface QueryPlan extends Outlook {
  /** The client's whole text; shared, so it must not be written into. */
  readonly text: Buffer;
  readonly statements: readonly Statement[];
}

export interface QueryPlanner {
  /**
   * Gives the outlook on a text, which may be known from another one that differs in nothing but the values of literals.
   * @throws SqlSyntaxError as `plan` does
   */
  look(text: Buffer): Outlook;
  /** @throws SqlSyntaxError when PostgreSQL's grammar does not accept the text */
  plan(text: Buffer): QueryPlan;
}

export function createQueryPlanner(settings: ProxySettings): QueryPlanner {
  const { statementCacheSize, maxStatementBytes, allowFunctions } = settings;
  const cache = createVerdictCache(statementCacheSize, { maxStatementBytes });
  const plans = new WeakMap<readonly Statement[], QueryPlan>();
  const shapes = new ShapeReader();
  const outlooks = new Recent<Outlook>(statementCacheSize, maxShapeBytes);

  const plan = (text: Buffer) => {
    const statements = cache.judge(text);
    const known = plans.get(statements);
    if (known) return known;
    const made = makePlan(Buffer.from(text), statements, allowFunctions);
    plans.set(statements, made);
    return made;
  };
  return {
    plan,
    look(text) {
      const isKept = statementCacheSize > 0 && text.length <= maxStatementBytes;
      const shape = isKept ? shapes.read(text) : null;
      const known = shape === null ? undefined : outlooks.get(shape);
      if (known) return known;
      const made = plan(text);
      if (shape !== null && isSameForShape(made)) outlooks.set(shape, outlookOf(made));
      return made;
    },
  };
}

const maxShapeBytes = 4 * 1024 * 1024;

/**
 * Whether the outlook on a query does not depend on the values of its literals. They are looked at in the options of
 * EXPLAIN, in settings, and in the argument of `set_config`; places in the text depend on their lengths.
 */
function isSameForShape({ refusal, statements, passingText, text }: QueryPlan): boolean {
  const [statement, ...others] = statements;
  if (refusal !== null || passingText !== null || others.length > 0) return false;
  if (
    statement?.verdict.kind !== 'read' ||
    !/^\s*(?:select|with)\b/i.test(text.toString('latin1', 0, 256))
  )
    return false;
  return !statement.verdict.functions.some(({ name }) => name === 'set_config');
}

function outlookOf(plan: QueryPlan): Outlook {
  const { refusal, passes, passingText, reads, hasSettings, hasRelations, changesPath } = plan;
  return { refusal, passes, passingText, reads, hasSettings, hasRelations, changesPath };
}

function makePlan(
  text: Buffer,
  statements: readonly Statement[],
  allowed: readonly string[],
): QueryPlan {
  const verdicts = statements.map(({ verdict }) => verdict);
  const locking = statements.flatMap(({ start, verdict }) => {
    const read = readOf(verdict);
    return read === null ? [] : blankLocking(read, start);
  });
  const kinds = verdicts.map(kindOf);
  return {
    text,
    statements,
    refusal: firstRefusal(verdicts, allowed),
    passes: !kinds.includes('step'),
    passingText: locking.length === 0 ? null : spliceBytes(text, locking),
    reads: kinds.filter((kind) => kind === 'read').length,
    hasSettings: kinds.includes('setting'),
    hasRelations: verdicts.some((verdict) => (readOf(verdict)?.relations.length ?? 0) > 0),
    changesPath: verdicts.some(movesPath),
  };
}

/** The read that a statement runs or declares. */
export function readOf(verdict: Verdict): Read | null {
  if (verdict.kind === 'read') return verdict;
  return verdict.kind === 'control' && verdict.action.type === 'declare'
    ? verdict.action.body
    : null;
}

/** Replacements that take row locking clauses out, from the start of the statement or of what begins before it. */
export function blankLocking({ locking }: Read | Write, offset = 0): Replacement[] {
  return locking.map(({ start, end }) => ({
    start: start + offset,
    end: end + offset,
    text: ' '.repeat(end - start),
  }));
}

function kindOf(verdict: Verdict): 'read' | 'setting' | 'step' {
  if (verdict.kind === 'read') return 'read';
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

function firstRefusal(verdicts: readonly Verdict[], allowed: readonly string[]): Refusal | null {
  for (const verdict of verdicts) {
    if (verdict.kind === 'refuse') return verdict;
    const reserved = refuseReserved(verdict);
    if (reserved) return reserved;
    const refused = refusedFunctions(readFunctions(verdict), 'read', allowed);
    if (refused) return functionRefusal(refused);
  }
  return null;
}

/** The functions of a statement that run READ ONLY; those of writes are judged when they are staged. */
function readFunctions(verdict: Verdict): readonly FunctionUse[] {
  const read = readOf(verdict);
  if (read) return read.functions;
  if (verdict.kind !== 'control') return [];
  const { action } = verdict;
  if (action.type === 'prepare') return action.body.kind === 'read' ? action.body.functions : [];
  return action.type === 'execute' ? action.calls.functions : [];
}

function movesPath(verdict: Verdict): boolean {
  if (verdict.kind === 'control') return verdict.action.type === 'set path';
  return changesPath(readOf(verdict)?.functions ?? []);
}

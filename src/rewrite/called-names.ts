/** The functions, operators and types that a statement calls, and what calling them may do. */
import type { Calls, FunctionUse, QualifiedName, UnclearCall } from '../sql/functions/calls.ts';
import type { FoundFunction } from '../sql/functions/effects.ts';
import { hasEffects, isAllowedFunction, isStageableVolatile } from '../sql/functions/functions.ts';

/** What calling something may do. */
export interface Assessment {
  /** A function that must not be called in a staged write: it may be volatile, and is not known to do no harm. */
  readonly harmful: FunctionUse | null;
  /** A function with effects that READ ONLY does not hold. */
  readonly harmfulInReads: FunctionUse | null;
  /** Code runs that somebody wrote in this database. */
  readonly runsCode: boolean;
  /** It may give another result when it is called again. */
  readonly isVolatile: boolean;
}

export interface Called extends QualifiedName {
  readonly kind: UnclearCall['kind'];
}

/** What stage.find_code says of a candidate for a name: of the function that is called. */
export interface Candidate extends FoundFunction {
  /** The function of the server or of an extension whose code a function of users has; null where it has none of theirs. */
  readonly known: { readonly schema: string; readonly name: string } | null;
  /** The function of that name, and not one that an aggregate, an operator, a cast, a domain or a relation calls. */
  readonly isNamed: boolean;
  /** One that an aggregate, an operator, a cast, a type or a relation calls which users made. */
  readonly isMade: boolean;
  /** In the schema given, or in the search path. */
  readonly isFound: boolean;
  readonly isCode: boolean;
}

/** What is known of a name. */
export interface KnownCall extends Assessment {
  /** Under another search path it may be a function with effects. */
  readonly dependsOnPath: boolean;
}

export const harmless: KnownCall = {
  harmful: null,
  harmfulInReads: null,
  runsCode: false,
  isVolatile: false,
  dependsOnPath: false,
};

/** Everything that a statement calls, each once. */
export function namesCalled({ functions, fields, operators, types }: Calls): Called[] {
  const all = [
    ...functions.map(asCalled('function')),
    // guard: arguments of EXECUTE call what stands behind a dot
    ...fields.map((name) => ({ kind: 'field' as const, schema: null, name })),
    ...operators.map(asCalled('operator')),
    ...types.map(asCalled('type')),
  ];
  return [...new Map(all.map((each) => [calledKey(each), each])).values()];
}

function asCalled(kind: Called['kind']): (name: QualifiedName) => Called {
  return ({ schema, name }) => ({ kind, schema, name });
}

/** Tells a name called from others. */
export function calledKey({ kind, schema, name }: Called): string {
  return [kind, ...(schema === null ? [] : [schema]), name].join('\0');
}

/** Reads a row of stage.find_code behind its place. */
export function candidateOf(row: readonly (Buffer | null)[]): Candidate {
  const [schema, name, knownSchema, knownName] = row.map(String);
  const [isNamed, isMade, isFound, isVolatile, isImmutable, isCode, isCompiled, isExtension] = row
    .slice(4)
    .map((fact) => String(fact) === 't') as [
    ...[boolean, boolean, boolean, boolean, boolean, boolean, boolean, boolean],
  ];
  return {
    ...{ schema: String(schema), name: String(name), isNamed, isMade, isFound, isVolatile, isCode },
    ...{ isImmutable, isCompiled, isExtension },
    known: row[3] === null ? null : { schema: String(knownSchema), name: String(knownName) },
  };
}

/** Assesses a name by all that it may stand for. */
export function assessCandidates(
  candidates: readonly Candidate[],
  allowed: readonly string[],
): KnownCall {
  const found = candidates.filter(({ isFound }) => isFound);
  // guard: what operators, aggregates and casts of users call is judged like what is named
  const judged = candidates.filter((each) => each.isNamed || each.isMade);
  const open = judged.filter((each) => !isAllowed(each, allowed));
  const inReads = open.filter((each) => hasEffects(asJudged(each), 'read'));
  return {
    harmful: asUse(open.find((each) => each.isFound && isHarmfulInWrites(each))),
    harmfulInReads: asUse(inReads.find(({ isFound }) => isFound)),
    runsCode: found.some(({ isCode }) => isCode),
    isVolatile: found.some(({ isVolatile }) => isVolatile),
    dependsOnPath: inReads.some(({ isFound }) => !isFound),
  };
}

const asUse = (found: Candidate | undefined): FunctionUse | null =>
  found === undefined ? null : { schema: found.schema, name: found.name };

const isAllowed = (each: Candidate, allowed: readonly string[]) =>
  isAllowedFunction(each, allowed) ||
  (each.known !== null && isAllowedFunction(each.known, allowed));

/** As the function whose code it has: that says what it does. */
// guard: a function of users that has the code of a known one is judged as that
const asJudged = (each: Candidate): Candidate => ({ ...each, ...each.known });

/**
 * Of volatile functions those that write nothing are known. What is volatile behind an operator, an aggregate or a cast, and written
 * in a language of users, is no rarity, but none of ours to name: what it writes is found out.
 */
function isHarmfulInWrites(each: Candidate): boolean {
  if (hasEffects(asJudged(each), 'write')) return true;
  return each.isNamed && each.isVolatile && !isStageableVolatile(each.schema, each.name);
}

/** What the assessments on several names are together. */
export function joinAssessments(assessments: readonly Assessment[]): Assessment {
  const first = (of: 'harmful' | 'harmfulInReads') =>
    assessments.find((each) => each[of])?.[of] ?? null;
  return {
    harmful: first('harmful'),
    harmfulInReads: first('harmfulInReads'),
    runsCode: assessments.some(({ runsCode }) => runsCode),
    isVolatile: assessments.some(({ isVolatile }) => isVolatile),
  };
}

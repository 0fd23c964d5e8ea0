/** The functions, operators and types that a statement calls, and what calling them may do. */
import type { Calls, FunctionUse, QualifiedName } from '../sql/functions/calls.ts';
import type { FoundFunction } from '../sql/functions/functions.ts';
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
  readonly kind: 'function' | 'field' | 'operator' | 'type';
}

/** What stage.find_code says of a candidate for a name. */
export interface Candidate extends Omit<FoundFunction, 'name'> {
  /** The function of that name, and not one that an operator, a cast or a domain calls. */
  readonly isNamed: boolean;
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

/** Operators that the grammar calls without naming them: CASE, USING, BETWEEN and the like. */
const implied = ['=', '<', '<=', '>', '>='].map((name) => ({ schema: null, name }));

/** Everything that a statement calls, each once. */
export function namesCalled({ functions, fields, operators, types }: Calls): Called[] {
  const all = [
    ...functions.map(asCalled('function')),
    // guard: arguments of EXECUTE call what stands behind a dot
    ...fields.map((name) => ({ kind: 'field' as const, schema: null, name })),
    ...[...operators, ...implied].map(asCalled('operator')),
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
export function candidateOf([schema, ...facts]: readonly (Buffer | null)[]): Candidate {
  const [isNamed, isFound, isVolatile, isCode, isCompiled, isExtension] = facts.map(
    (fact) => String(fact) === 't',
  ) as [boolean, boolean, boolean, boolean, boolean, boolean];
  return {
    ...{ schema: String(schema), isNamed, isFound, isVolatile, isCode },
    ...{ isCompiled, isExtension },
  };
}

/** Assesses a name by all that it may stand for. */
export function assessCandidates(
  { name }: Called,
  candidates: readonly Candidate[],
  allowed: readonly string[],
): KnownCall {
  const found = candidates.filter(({ isFound }) => isFound);
  const named = candidates.flatMap((candidate) => {
    const isOpen = candidate.isNamed && !isAllowedFunction({ ...candidate, name }, allowed);
    return isOpen ? [{ ...candidate, name }] : [];
  });
  const asUse = (each: (FunctionUse & { schema: string }) | undefined) =>
    each === undefined ? null : { schema: each.schema, name };
  const inReads = named.filter((each) => hasEffects(each, 'read'));
  // Volatile operators and casts are no rarity, but none of ours to name: what they write is found out.
  const isHarmful = (each: FoundFunction) =>
    hasEffects(each, 'write') || (each.isVolatile && !isStageableVolatile(each.schema, name));
  return {
    harmful: asUse(named.find((each) => each.isFound && isHarmful(each))),
    harmfulInReads: asUse(inReads.find(({ isFound }) => isFound)),
    runsCode: found.some(({ isCode }) => isCode),
    isVolatile: found.some(({ isVolatile }) => isVolatile),
    dependsOnPath: inReads.some(({ isFound }) => !isFound),
  };
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

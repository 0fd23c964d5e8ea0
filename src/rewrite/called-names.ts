/** The functions, operators and types that a statement calls, and the possible effects of the calls. */
import type { Calls, FunctionUse, QualifiedName, UnclearCall } from '../sql/functions/calls.ts';
import type { FoundFunction } from '../sql/functions/effects.ts';
import {
  hasEffects,
  isAllowedFunction,
  isSetConfig,
  isStageableVolatile,
} from '../sql/functions/functions.ts';
import { isLastNumber } from '../sql/functions/last-numbers.ts';

/** The possible effects of a call. */
export interface Assessment {
  /** A function that a staged write must not call: it may be volatile, and is not known to be harmless. */
  readonly harmful: FunctionUse | null;
  /** A function with effects that READ ONLY does not prevent. */
  readonly harmfulInReads: FunctionUse | null;
  /** Whether code runs that users wrote in this database. */
  readonly runsCode: boolean;
  /** Whether repeated calls may return different results. */
  readonly isVolatile: boolean;
}

export interface Called extends QualifiedName {
  readonly kind: UnclearCall['kind'];
}

/** A function that a name may refer to, as stage.find_code returns it. */
export interface Candidate extends FoundFunction {
  /** The function of the server or of an extension whose code a user's function has; null if there is none. */
  readonly known: { readonly schema: string; readonly name: string } | null;
  /** Whether the function itself has that name, and is not just called by an aggregate, an operator, a cast, a domain or a relation. */
  readonly isNamed: boolean;
  /** Whether an aggregate, an operator, a cast, a type or a relation that users created calls it. */
  readonly isMade: boolean;
  /** Whether it is in the given schema, or in the search path. */
  readonly isFound: boolean;
  readonly isCode: boolean;
}

/** The cached assessment of a name. */
export interface KnownCall extends Assessment {
  /** Whether the name may refer to a function with effects under another search path. */
  readonly dependsOnPath: boolean;
}

export const harmless: KnownCall = {
  harmful: null,
  harmfulInReads: null,
  runsCode: false,
  isVolatile: false,
  dependsOnPath: false,
};

/** Returns everything that a statement calls, without duplicates. */
export function namesCalled({ functions, fields, operators, types }: Calls): Called[] {
  const all = [
    ...functions.map(asCalled('function')),
    // guard: arguments of EXECUTE call the names behind dots
    ...fields.map((name) => ({ kind: 'field' as const, schema: null, name })),
    ...operators.map(asCalled('operator')),
    ...types.map(asCalled('type')),
  ];
  return [...new Map(all.map((each) => [calledKey(each), each])).values()];
}

function asCalled(kind: Called['kind']): (name: QualifiedName) => Called {
  return ({ schema, name }) => ({ kind, schema, name });
}

/** Returns a key that identifies a called name. */
export function calledKey({ kind, schema, name }: Called): string {
  return [kind, ...(schema === null ? [] : [schema]), name].join('\0');
}

/** Parses a row of stage.find_code, without its leading place. */
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

/** Assesses a name by all functions that it may refer to. */
export function assessCandidates(
  candidates: readonly Candidate[],
  allowed: readonly string[],
): KnownCall {
  const found = candidates.filter(({ isFound }) => isFound);
  // guard: calls of operators, aggregates and casts of users are checked like named calls
  const checked = candidates.filter((each) => each.isNamed || each.isMade);
  const open = checked.filter((each) => setsUnseen(each) || !isAllowed(each, allowed));
  const inReads = open.filter((each) => isUnseen(each) || hasEffects(asFound(each), 'read'));
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

/** Returns the candidate as the function whose code it has, because the code determines the effects. */
// guard: a function of users with the code of a known one is checked like that
const asFound = (each: Candidate): Candidate => ({ ...each, ...each.known });

/**
 * Returns whether set_config() is called with arguments that the statement does not show: by an aggregate, a view, or under another name.
 */
// guard: calls of views and aggregates set no setting
const setsUnseen = (each: Candidate) =>
  isSetConfig(asFound(each)) && !(each.isNamed && isSetConfig(each));

/** Returns whether set_config() or lastval() is called, but not by the text of the statement, where the call is checked or replaced. */
const isUnseen = (each: Candidate) =>
  setsUnseen(each) || (isLastNumber(asFound(each)) && !(each.isNamed && isLastNumber(each)));

/**
 * Returns whether a staged write must not call a function. Volatile functions that write nothing are listed by name. Volatile code of users
 * behind an operator, an aggregate or a cast is common and cannot be listed; the tripwire detects its writes.
 */
function isHarmfulInWrites(each: Candidate): boolean {
  if (isUnseen(each) || hasEffects(asFound(each), 'write')) return true;
  return each.isNamed && each.isVolatile && !isStageableVolatile(each.schema, each.name);
}

/** Joins the assessments of several names. */
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

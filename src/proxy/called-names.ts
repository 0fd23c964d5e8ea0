/** The functions, operators and types that a statement calls, and what calling them may do. */
import type { Calls, FunctionUse, QualifiedName } from '../sql/verdict.ts';

/** What calling something in a staged write may do. */
export interface Judgement {
  /** A function that may be a volatile one and is not known to do no harm. */
  readonly harmful: FunctionUse | null;
  /** Code runs that somebody wrote in this database. */
  readonly runsCode: boolean;
  /** It may give another result when it is called again. */
  readonly isVolatile: boolean;
}

export interface Called extends QualifiedName {
  readonly kind: 'function' | 'operator' | 'type';
}

export const harmless: Judgement = { harmful: null, runsCode: false, isVolatile: false };

/** Operators that the grammar calls without naming them: CASE, USING, BETWEEN and the like. */
const implied = ['=', '<', '<=', '>', '>='].map((name) => ({ schema: null, name }));

/** Everything that a statement calls, each once. */
export function namesCalled({ functions, operators, types }: Calls): Called[] {
  const all = [
    ...functions.map(asCalled('function')),
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

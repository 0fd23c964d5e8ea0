/** Reads that call functions that write: they are staged as writes. */
import { plainWrite } from '../sql/classify/plain-verdicts.ts';
import type { Calls, UnclearCall } from '../sql/functions/calls.ts';
import type { Read } from '../sql/read.ts';
import type { Statement, Verdict } from '../sql/verdict.ts';
import type { QueryWrite } from '../sql/write.ts';
import type { ConnectionContext } from './connection-context.ts';

/** Returns whether a statement is a query whose calls must be looked up: it may call a function that writes. */
export function mayStageCalls(
  { reads, state, functions }: ConnectionContext,
  verdict: Verdict,
): boolean {
  if (verdict.kind !== 'read' || reads === 'production' || state.failed) return false;
  return verdict.isQuery === true && !functions.arePlain(verdict.called);
}

const known = new WeakMap<Read, QueryWrite>();

/** Returns a statement as a write, if it calls a function that writes and is staged; else, as it is. */
export async function withStagedCalls(
  { functions }: ConnectionContext,
  statement: Statement,
): Promise<Statement> {
  const { verdict } = statement;
  if (verdict.kind !== 'read' || verdict.replacement) return statement;
  // a query that locks rows itself runs as a read, in which nothing writes
  const locksRows = verdict.locks !== undefined || verdict.locking.length > 0;
  if (locksRows || !(await functions.stages(verdict.called))) return statement;
  const write = known.get(verdict) ?? asWrite(verdict);
  known.set(verdict, write);
  return { ...statement, verdict: write };
}

function asWrite({
  relations,
  unclear,
  called,
  qualifiers,
  groupings,
  wholeRows,
  functions,
}: Read): QueryWrite {
  const calls = { functions, ...otherCalls(unclear) };
  return plainWrite({
    ...{ relations, unclear, called, qualifiers, groupings, wholeRows },
    ...calls,
    stagesCalls: 'SELECT',
  });
}

/** Returns the calls of a query other than those of functions by name. The catalog is queried about all of them. */
function otherCalls(unclear: readonly UnclearCall[]): Omit<Calls, 'functions'> {
  const of = (kind: UnclearCall['kind']) =>
    unclear.filter((each) => each.kind === kind).map(({ schema, name }) => ({ schema, name }));
  return {
    fields: of('field').map(({ name }) => name),
    operators: of('operator'),
    types: of('type'),
  };
}

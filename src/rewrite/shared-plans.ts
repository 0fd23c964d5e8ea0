/** The plans of texts that differ in literals alone. */
import { usesLastNumber } from '../sql/functions/last-numbers.ts';
import { firstLiteral } from '../sql/parser/shape.ts';
import type { CallPlace } from '../sql/places.ts';
import type { Statement } from '../sql/verdict.ts';
import type { QueryWrite } from '../sql/write.ts';
import type { QueryPlan } from './query-plan.ts';

/** Returns whether it is one statement of a kind in which no literal decides anything, unlike EXPLAIN's options and settings. */
function isOfShape({ refusal, statements, passingText }: QueryPlan): boolean {
  const [statement, ...others] = statements;
  if (refusal !== null || passingText !== null || others.length > 0) return false;
  const { verdict } = statement ?? {};
  if (verdict?.kind !== 'read' && !(verdict?.kind === 'write' && verdict.form === 'query'))
    return false;
  // the name of the setting is a literal that decides
  // guard: a plan that depends on a literal outside of queries is not used for another text
  // guard: a plan that depends on a literal of a query is not used for another text
  return verdict.isQuery === true && !verdict.functions.some(({ name }) => name === 'set_config');
}

/** Returns whether the class of a read applies to its whole shape. Places in it do not, because literals differ in length. */
export function isReadOfShape(plan: QueryPlan): boolean {
  return plan.statements[0]?.verdict.kind === 'read' && isOfShape(plan);
}

/**
 * Returns a write as it applies to its whole shape; null unless no part of its text affected its classification, and all places precede
 * literals. The names of functions are places only where a write may stage what they write.
 */
export function writeOfShape(plan: QueryPlan, shape: string): QueryPlan | null {
  const [statement] = plan.statements;
  if (statement?.verdict.kind !== 'write' || statement.verdict.form !== 'query') return null;
  if (!isOfShape(plan)) return null;
  const { verdict } = statement;
  const { locking, upserts, merges, groupings, relations, qualifiers, wholeRows } = verdict;
  if ([locking, upserts, merges, groupings].some(({ length }) => length > 0)) return null;
  const fixed = firstLiteral(shape) - statement.start;
  if ([...relations, ...qualifiers, ...wholeRows].some(({ end }) => end > fixed)) return null;
  const loose = verdict.called.filter(({ end }) => end > fixed);
  if (loose.length === 0) return plan;
  if (usesLastNumber(loose)) return null;
  const mayCall = verdict.rights.length === 1;
  // guard: a write in which a name of a function follows a literal is not used for another text
  if (mayCall && loose.some((call) => isOfUsers(call, verdict))) return null;
  // no name is replaced, because the name's place in another text may differ
  return { ...plan, statements: [{ ...statement, verdict: { ...verdict, called: [] } }] };
}

/** Returns whether PostgreSQL has no function of a name. */
const isOfUsers = ({ name }: CallPlace, { unclear }: QueryWrite): boolean =>
  unclear.some((each) => each.kind === 'function' && each.name === name && !each.unlessMade);

/** Returns the plan of a write for another text of its shape. */
export function samePlan(alike: QueryPlan, text: Buffer): QueryPlan {
  const copy = Buffer.from(text);
  const [{ start, text: sample, verdict }] = alike.statements as readonly [Statement];
  // After a statement there are only a semicolon and spaces, no literals.
  const behind = alike.text.length - start - sample.length;
  const own = copy.subarray(start, copy.length - behind);
  return { ...alike, text: copy, statements: [{ start, text: own, verdict }] };
}

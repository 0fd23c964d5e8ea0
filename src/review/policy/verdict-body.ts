/** Verdicts of the policy as facts of errors and as bodies of responses. */
import type { JsonObject } from '../../model/json.ts';
import type { Verdict } from './evaluate.ts';

/** Returns a time in ISO 8601. */
export function timeOf(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}

/** Returns the body of a verdict. */
export function verdictBody(verdict: Verdict): JsonObject {
  const { rule, limit, table, holds, says, opensAt } = verdict;
  const opens = opensAt === null || opensAt === undefined ? {} : { opens_at: timeOf(opensAt) };
  return { rule, limit, table, holds, says, ...opens };
}

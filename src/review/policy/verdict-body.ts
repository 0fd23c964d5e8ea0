/** Verdicts of the policy as facts of errors and as bodies of responses. */
import type { PolicyVerdict } from '../../model/policy.ts';
import { verdictShape } from '../../model/policy.ts';
import { writerOf } from '../../model/shape.ts';
import type { Verdict } from './evaluate.ts';

/** Returns a time in ISO 8601. */
export function timeOf(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}

/** Returns a verdict as it is sent. */
export function sentVerdict({ opensAt, ...verdict }: Verdict): PolicyVerdict {
  const time = timeOf(opensAt);
  return time === null ? verdict : { ...verdict, opensAt: time };
}

const bodyOf = writerOf(verdictShape);

/** Returns the body of a verdict. */
export const verdictBody = (verdict: Verdict) => bodyOf(sentVerdict(verdict));

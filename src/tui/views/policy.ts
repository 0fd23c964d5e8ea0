/** What the policy says about a session: the votes and the broken rules, and the rules that it keeps to. */
import { approvalsInWords, breakersInWords, verdictInWords } from '../../client/policy.ts';
import type { State } from '../state/state.ts';
import { currentPolicy } from '../state/state.ts';
import type { Style } from '../terminal/line.ts';

/** A sentence, the sign before it, and its style. */
export interface Remark {
  readonly sign: string;
  readonly text: string;
  readonly style?: Style;
}

/** Returns who has agreed, who is missing, and the rules that are broken; nothing if no rule is in force. */
export function urgentRemarks(state: State): Remark[] {
  const { approvals, verdicts = [] } = currentPolicy(state) ?? {};
  const votes: Remark[] =
    approvals === undefined || approvals.needed === 0
      ? []
      : [{ sign: ' ', text: `Approvals: ${approvalsInWords(approvals)}.`, style: 'strong' }];
  const broken = verdicts.filter(({ holds }) => !holds);
  return [
    ...votes,
    ...broken.map((one): Remark => ({ sign: '!', text: verdictInWords(one), style: 'alarm' })),
  ];
}

/** Returns the rules that the session keeps to, and who may go past rules. */
export function otherRemarks(state: State): Remark[] {
  const { verdicts = [], breakGlass = [] } = currentPolicy(state) ?? {};
  const past = breakGlass.length === 0 ? [] : [breakersInWords(breakGlass)];
  const kept = verdicts.filter(({ holds }) => holds).map(verdictInWords);
  return [...kept, ...past].map((text) => ({ sign: ' ', text, style: 'faint' }));
}

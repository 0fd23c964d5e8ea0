/** The facts of a decision that a confirmation shows: the part, the time, the reason, and the schedule that it ends. */
import { textCell } from '../../client/cell.ts';
import { momentInWords } from '../../client/moments.ts';
import { markedCount, marksInWords } from '../../client/part-marks.ts';
import { sanitize } from '../../client/sanitize.ts';
import type { Decision, Plan } from '../state/decisions.ts';
import type { State } from '../state/state.ts';
import type { Line, Span } from '../terminal/line.ts';
import { span } from '../terminal/line.ts';
import { fit, widthOf, wrap } from '../terminal/text.ts';

/** Draws them. @param ties rows that are tied to the part, and are included if that is confirmed */
export function planLines(
  state: State,
  decision: Decision,
  plan: Plan | undefined,
  ties: readonly string[],
): Line[] {
  const text = (words: string, style?: Span['style']): Line[] =>
    wrap(words, Math.max(10, state.size.columns - 4)).map((part) => [span(`  ${part}`, style)]);
  return [
    ...partLines(state, plan, text),
    ...(ties.length === 0
      ? []
      : [
          ...text(
            'These are tied to them: neither could be applied without the other. Include them, too?',
            'alarm',
          ),
          ...inColumns(ties, state.size.columns),
        ]),
    ...(plan?.at === undefined ? [] : text(laterInWords(plan.at))),
    ...(decision === 'breakGlass' ? text(pastPolicy, 'alarm') : []),
    ...(decision === 'review' ? text(reviewed(state)) : []),
    ...(plan === undefined || plan.reason === ''
      ? []
      : text(`${decision === 'review' ? 'Found' : 'Reason'}: ${sanitize(plan.reason)}`, 'strong')),
    ...scheduledLines(state, decision, text),
  ];
}

type Text = (words: string, style?: Span['style']) => Line[];

function partLines({ outline }: State, plan: Plan | undefined, text: Text): Line[] {
  if (plan?.part === undefined) return [];
  const count = markedCount(plan.part, outline?.tables ?? []);
  return [
    ...text(`The part: ${marksInWords(plan.part)}; ${count.toLocaleString('en-US')} in total.`),
    ...text('The rest goes to an active session of its own, to be proposed and decided on there.'),
  ];
}

const laterInWords = (at: string) =>
  `It is applied ${momentInWords(at)}, and checked again then. Rejecting it or giving it back before cancels that.`;

const pastPolicy =
  '! This goes past the policy: nobody else agrees, and windows do not count. Your name and the reason are sealed in the audit, and the session is marked until somebody else has reviewed it.';

function reviewed({ session }: State): string {
  const by = textCell(session?.approvedAs ?? session?.approvedBy ?? 'somebody');
  return `${by} approved it past the policy: ${sanitize(session?.breakGlass ?? '')}`;
}

/** Draws that the decision cancels or replaces a scheduled approval. */
function scheduledLines({ session }: State, decision: Decision, text: Text): Line[] {
  if (!session || session.applyAt === null || session.status !== 'proposed') return [];
  const by = session.scheduledAs === null ? '' : ` by ${textCell(session.scheduledAs)}`;
  const then = decision === 'reopen' || decision === 'reject' ? 'cancels' : 'replaces';
  return text(`! This ${then} the approval${by} that is applied at ${session.applyAt}.`, 'alarm');
}

/** Draws short texts side by side, as there may be many. */
export function inColumns(texts: readonly string[], columns: number): Line[] {
  const width = Math.max(...texts.map(widthOf)) + 2;
  const count = Math.max(1, Math.floor((columns - 4) / width));
  return Array.from({ length: Math.ceil(texts.length / count) }, (_, row) => [
    span('    '),
    ...texts.slice(row * count, (row + 1) * count).map((text) => span(fit(text, width))),
  ]);
}

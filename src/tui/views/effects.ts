/** The effects: what a rehearsal of the approval has shown, in the words in which the command line tells it. */

import type { RehearsalReport } from '../../client/rehearsal.ts';
import type { RehearsalLine } from '../../client/rehearsal-words.ts';
import {
  conflictLines,
  ignoredLines,
  nothingWouldLand,
  rehearsalLines,
  warningLines,
} from '../../client/rehearsal-words.ts';
import { divide } from '../screen.ts';
import type { State } from '../state/state.ts';
import { currentDigest } from '../state/state.ts';
import type { Line, Style } from '../terminal/line.ts';
import { span } from '../terminal/line.ts';
import { wrap } from '../terminal/text.ts';

const explained =
  'Production applies the changes, and rolls them back: that tells what would land, what triggers would change elsewhere, and what would be refused.';

/** Draws what the last rehearsal has shown, from the line that was scrolled to. */
export function effectsView(state: State, width: number, height: number): Line[] {
  const lines = effectsLines(state, width);
  const start = Math.max(0, Math.min(state.effectsTop, lines.length - height));
  return lines.slice(start, start + height);
}

/** How many positions there are to scroll to. */
export function effectsLength(state: State): number {
  const { main, height } = divide(state);
  return Math.max(1, effectsLines(state, main).length - height + 1);
}

function effectsLines(state: State, width: number): Line[] {
  const { rehearsal, rehearsing, keymap } = state;
  if (rehearsing !== null) {
    const text = `Rehearsing the approval … ${keymap.keyFor('back')} waits no longer.`;
    return [[], ...wrapped(text, width), ...wrapped(explained, width, 'faint')];
  }
  if (rehearsal === null) return [[], ...wrapped(notYet(state), width), ...below(state, width)];
  return [
    ...(isOutdated(state, rehearsal)
      ? wrapped(`! This was another diff: ${keymap.keyFor('rehearse')} rehearses.`, width, 'alarm')
      : []),
    ...[
      ...(rehearsal.conflicts.length > 0 ? [nothingWouldLand(rehearsal)] : []),
      ...conflictLines(rehearsal),
      ...rehearsalLines(rehearsal),
      ...ignoredLines(rehearsal),
      ...warningLines(rehearsal),
    ].flatMap((line) => reportLines(line, width)),
  ];
}

function notYet({ session, keymap }: State): string {
  const status = session?.status;
  return status === 'approved' || status === 'rejected'
    ? `Not rehearsed. The session is ${status} already.`
    : `Not rehearsed yet; press ${keymap.keyFor('rehearse')}.`;
}

const below = ({ session }: State, width: number): Line[] =>
  session?.status === 'active' || session?.status === 'proposed'
    ? wrapped(explained, width, 'faint')
    : [];

/** Whether what is shown by now is known to be something else than what was rehearsed. */
export function isOutdated(state: State, { digest }: RehearsalReport): boolean {
  const current = currentDigest(state);
  // guard: a rehearsal tells of its own diff alone
  return current !== null && current !== digest;
}

const styles: Readonly<Record<RehearsalLine['about'], Style>> = {
  outcome: 'strong',
  objection: 'alarm',
  INSERT: 'added',
  UPDATE: 'changed',
  DELETE: 'removed',
};

/** What does not fit goes on below, further in than the beginning. */
function reportLines({ about, text }: RehearsalLine, width: number): Line[] {
  const indent = (/^ */.exec(text)?.[0].length ?? 0) + 1;
  const [first = '', ...rest] = wrap(text.trimStart(), Math.max(10, width - indent - 4));
  return [first, ...rest].map((part, index) => [
    span(' '.repeat(index === 0 ? indent : indent + 4)),
    span(part, styles[about]),
  ]);
}

const wrapped = (text: string, width: number, style?: Style): Line[] =>
  wrap(text, Math.max(10, width - 4)).map((part) => [span('  '), span(part, style)]);

/** The effects: the result of a rehearsal, in the words of the command line. */

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
import { forbidden } from '../state/permissions.ts';
import type { State } from '../state/state.ts';
import { currentDigest } from '../state/state.ts';
import type { Line, Style } from '../terminal/line.ts';
import { span } from '../terminal/line.ts';
import { wrap } from '../terminal/text.ts';

const explained =
  'Production applies the changes, and rolls them back: that shows the rows that would land, the changes of triggers elsewhere, and refusals.';

/** Draws the latest rehearsal from the current scroll position. */
export function effectsView(state: State, width: number, height: number): Line[] {
  const lines = effectsLines(state, width);
  const start = Math.max(0, Math.min(state.effectsTop, lines.length - height));
  return lines.slice(start, start + height);
}

/** Returns the number of scroll positions. */
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

function notYet({ session, keymap, caller }: State): string {
  const status = session?.status;
  const why = forbidden(caller, 'rehearse');
  return status === 'approved' || status === 'rejected'
    ? `Not rehearsed. The session is ${status} already.`
    : `Not rehearsed yet${why === null ? `; press ${keymap.keyFor('rehearse')}.` : `. ${why}`}`;
}

const below = ({ session }: State, width: number): Line[] =>
  session?.status === 'active' || session?.status === 'proposed'
    ? wrapped(explained, width, 'faint')
    : [];

/** Returns whether the diff that is shown is known to differ from the rehearsed one. */
export function isOutdated(state: State, { digest }: RehearsalReport): boolean {
  const current = currentDigest(state);
  // guard: a rehearsal is shown with its own diff only
  return current !== null && current !== digest;
}

const styles: Readonly<Record<RehearsalLine['about'], Style>> = {
  outcome: 'strong',
  objection: 'alarm',
  INSERT: 'added',
  UPDATE: 'changed',
  DELETE: 'removed',
};

/** Wraps a line, with a deeper indent for its continuation. */
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

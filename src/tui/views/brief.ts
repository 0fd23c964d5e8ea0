/** The brief above the rows: votes and broken rules, what is unusual, what changed in each column, then the rules that are kept. */
import type { State } from '../state/state.ts';
import { currentBrief } from '../state/state.ts';
import type { Line, Style } from '../terminal/line.ts';
import { span } from '../terminal/line.ts';
import { widthOf, wrap } from '../terminal/text.ts';
import type { Remark } from './policy.ts';
import { otherRemarks, urgentRemarks } from './policy.ts';

/** The height of a terminal from which on the short brief is shown. */
const fewestRows = 16;
/** Lines of the screen that the whole brief leaves free: session, panes, heading, a row, notice, keys, and its own rule. */
const others = 7;

/** Returns whether the brief is longer than its short form, which a small terminal has no room for. */
export const isLong = (state: State): boolean =>
  briefLines(state).length > mostLines({ ...state, brief: 'short' });

/** Draws the brief with a rule below it. Other panes, dialogs and a zoomed pane are without it. */
export function briefView(state: State): Line[] {
  if (state.zoomed || (state.pane !== 'rows' && state.pane !== 'tables')) return [];
  const most = mostLines(state);
  const lines = most === 0 ? [] : briefLines(state);
  if (lines.length === 0) return [];
  const more = lines.length - most;
  const key = state.brief === 'short' ? state.keymap.keyFor('brief') : '`stage diff --brief`';
  const hint = more > 0 ? ` ${more} more lines: ${key} ` : '';
  const { columns } = state.size;
  const rest = '─'.repeat(Math.max(0, columns - widthOf(hint) - 2));
  return [...lines.slice(0, most), [span('──', 'faint'), span(hint), span(rest, 'faint')]];
}

/** Returns the maximum number of lines of the brief itself. */
function mostLines({ size, brief }: State): number {
  if (brief === 'whole') return Math.max(0, size.rows - others);
  return brief === 'folded' || size.rows < fewestRows ? 0 : Math.floor(size.rows / 5);
}

function briefLines(state: State): Line[] {
  const { flags = [], sentences = [], late = [] } = currentBrief(state) ?? {};
  return [
    ...urgentRemarks(state).flatMap((remark) => remarkLines(state, remark)),
    ...flags.flatMap((flag) => wrapped(state, ' ! ', flag, 'alarm')),
    ...sentences.flatMap((sentence) => wrapped(state, '   ', sentence)),
    ...late.flatMap((flag) => wrapped(state, ' ! ', flag, 'alarm')),
    ...otherRemarks(state).flatMap((remark) => remarkLines(state, remark)),
  ];
}

const remarkLines = (state: State, { sign, text, style }: Remark) =>
  wrapped(state, ` ${sign} `, text, style);

function wrapped({ size }: State, first: string, text: string, style?: Style): Line[] {
  const parts = wrap(text, Math.max(10, size.columns - 4));
  return parts.map((part, index) => [span(index === 0 ? first : '   ', style), span(part, style)]);
}

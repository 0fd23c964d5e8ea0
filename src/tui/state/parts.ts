/** Marks of a part of the session: rows and tables that are approved, or split off, without the others. */
import {
  faultOfMarks,
  isTableMarked,
  noMarks,
  rowsToggled,
  tableToggled,
} from '../../client/part-marks.ts';
import { withAlarm } from './direct-actions.ts';
import { openPrompt } from './open-prompts.ts';
import type { State } from './state.ts';
import { currentTable } from './state.ts';

/** Returns why nothing is marked; null if marks are possible. */
function hindranceOf({ session }: State): string | null {
  const status = session?.status;
  if (status === 'active' || status === 'proposed') return null;
  return `The session is ${status}: it has no parts to choose.`;
}

/** Marks the selected row or range; the table in the list of tables. Marks of all of them are removed. */
export function markPart(state: State): State {
  if (state.pane === 'tables') return markTable(state);
  const table = currentTable(state);
  const why = hindranceOf(state) ?? (isOnRows(state) ? null : 'Choose rows to mark: in Rows.');
  if (why !== null) return withAlarm(state, why);
  if (table === null) return state;
  if (isTableMarked(state.part, table.table))
    return withAlarm(state, `The whole table is marked: ${keyOf(state, 'markTable')} unmarks it.`);
  // guard: the review marks the chosen row alone
  if (table.key.length === 0)
    return withAlarm(
      state,
      `The table has no key, so nobody can tell its rows apart: ${keyOf(state, 'markTable')} marks all of them.`,
    );
  const from = Math.min(state.anchor ?? state.row, state.row);
  const to = Math.max(state.anchor ?? state.row, state.row);
  const chosen = [...state.changes].filter(([at]) => at >= from && at <= to);
  if (chosen.length <= to - from)
    return withAlarm(state, 'Not all of these rows are read yet: mark fewer, or the table.');
  const part = rowsToggled(
    state.part,
    chosen.map(([, change]) => change),
  );
  const fault = faultOfMarks(part);
  return fault === null ? { ...state, part, anchor: null } : withAlarm(state, fault);
}

/** Marks the current table as a whole, or removes that mark. */
export function markTable(state: State): State {
  const table = currentTable(state);
  const why = hindranceOf(state);
  if (why !== null) return withAlarm(state, why);
  return table === null ? state : { ...state, part: tableToggled(state.part, table.table) };
}

const isOnRows = ({ pane }: State) => pane === 'rows' || pane === 'detail';

const keyOf = ({ keymap }: State, does: 'markTable' | 'markPart' | 'back') =>
  keymap.keyFor(does) || `\`${does}\``;

/** Asks to split the marked part off an active session. */
export function confirmSplit(state: State): State {
  const status = state.session?.status;
  if (status !== 'active')
    return withAlarm(state, `The session is ${status}: its author splits one that is active.`);
  if (state.part.size === 0)
    return withAlarm(state, `Mark rows first: ${keyOf(state, 'markPart')} marks them.`);
  const plan = { reason: '', part: state.part };
  return openPrompt({ kind: 'confirm', decision: 'split', plan, text: '' })(state);
}

/** The end of the message that the diff has changed. */
export const clearedWords = 'The marks are cleared, and nothing was approved.';

/** Drops the marks, and a question about them, because the diff is another one. */
export function withoutPart(state: State): State {
  if (state.part.size === 0) return state;
  const isAsked = state.prompt?.kind === 'confirm' && state.prompt.plan?.part !== undefined;
  return { ...state, part: noMarks, prompt: isAsked ? null : state.prompt };
}

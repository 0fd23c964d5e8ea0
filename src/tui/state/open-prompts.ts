/** Opens the prompts before actions, or reports why an action is not possible. */
import { mostSorted } from '../../model/change.ts';
import { selectedColumn, shownColumns } from './columns.ts';
import type { Decision, Edit, Prompt } from './decisions.ts';
import { notActive, withAlarm } from './direct-actions.ts';
import type { State } from './state.ts';
import { currentTable, listLength } from './state.ts';

/** Opens a prompt. */
export const openPrompt =
  (prompt: Prompt) =>
  (state: State): State => ({ ...state, prompt });

const confirm = (decision: Decision) => openPrompt({ kind: 'confirm', decision, text: '' });

/** Asks for confirmation of a decision, unless the session is already decided. */
export const confirmDecision =
  (decision: 'propose' | 'approve' | 'reject') =>
  (state: State): State => {
    const status = state.session?.status;
    if (status !== 'approved' && status !== 'rejected') {
      const isPart = decision === 'approve' && state.part.size > 0;
      // guard: the review approves the marked rows alone
      const plan = isPart ? { plan: { reason: '', part: state.part } } : {};
      return openPrompt({ kind: 'confirm', decision, ...plan, text: '' })(state);
    }
    return withAlarm(state, `The session is ${status} already: there is nothing to ${decision}.`);
  };

/** Asks for a column to sort by. Proposes the selected one ascending, then descending, then none. */
export function promptForSort(state: State): State {
  const table = currentTable(state);
  if (table === null) return state;
  if (listLength(state) > mostSorted)
    return withAlarm(
      state,
      `At most ${mostSorted.toLocaleString('en-US')} rows are sorted: filter them first.`,
    );
  const shown = shownColumns(state);
  const chosen = shown[selectedColumn(state, shown)] ?? '';
  const isSorted = state.sort?.column === chosen;
  const text = isSorted ? (state.sort?.descending ? '' : `-${chosen}`) : chosen;
  return openPrompt({ kind: 'sort', text })({ ...state, pane: 'rows' });
}

/** Asks to reopen the session, which must be proposed. */
export function confirmReopen(state: State): State {
  const status = state.session?.status;
  if (status === 'proposed') return confirm('reopen')(state);
  return withAlarm(
    state,
    `The session is ${status}: changes are asked for in one that is proposed.`,
  );
}

/** Asks to revert the session, which must be approved. */
export function confirmRevert(state: State): State {
  const status = state.session?.status;
  if (status === 'approved') return confirm('revert')(state);
  return withAlarm(state, `The session is ${status}: only one that is approved can be taken back.`);
}

/** Asks for a comment on the selected row; on the session if no row is visible. */
export function promptForComment(state: State): State {
  if (!isOnRow(state)) return openPrompt({ kind: 'comment', about: null, text: '' })(state);
  const change = state.changes.get(state.row);
  if (change === undefined) return stillReading(state);
  const about = { table: change.table, rowId: change.rowId };
  return openPrompt({ kind: 'comment', about, text: '' })(state);
}

/** Asks to unstage the selected row. Without a key the rows of a table cannot be distinguished, so all of them are unstaged. */
export function confirmUnstage(state: State): State {
  const why = notActive(state);
  if (why !== null) return withAlarm(state, why);
  if (!isOnRow(state)) return withAlarm(state, 'Choose a row to take out: in Rows or Detail.');
  const change = state.changes.get(state.row);
  const table = currentTable(state);
  if (change === undefined || table === null) return stillReading(state);
  // guard: the review takes out the chosen row alone
  const rowId = table.key.length === 0 ? null : change.rowId;
  const edit: Edit = { kind: 'unstage', table: change.table, rowId, withDependents: false };
  return openPrompt({ kind: 'edit', edit, dependents: [], text: '' })(state);
}

const isOnRow = (state: State) =>
  (state.pane === 'rows' || state.pane === 'detail') && listLength(state) > 0;

const stillReading = (state: State): State => ({
  ...state,
  notice: { text: 'The row is still being read.', alarm: false },
});

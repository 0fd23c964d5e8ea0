/** Prompts: search, go to, confirmations; and the filter of the help. */
import { nameCell } from '../../client/cell.ts';
import { shortId } from '../../model/session.ts';
import { nearest } from '../../nearest.ts';
import { toRow } from './commands.ts';
import type { Prompt } from './decisions.ts';
import { isApproval } from './decisions.ts';
import { withAlarm } from './direct-actions.ts';
import { followed } from './incoming.ts';
import { relisted, toTable } from './lists.ts';
import type { State } from './state.ts';
import { currentDigest, currentTable, sortOf } from './state.ts';
import { reasoned, timed } from './ways.ts';

const longest = 200;

/** Handles one key: it ends the line, edits it, or is a character of it. */
export function typed(state: State, name: string): State {
  const key = name === 'ctrl-c' ? 'escape' : name;
  if (state.help !== null) return inHelp(state, state.help, key);
  const { prompt } = state;
  if (prompt === null) return state;
  if (key === 'escape') return cancelled(state, prompt);
  if (key === 'enter') return accepted({ ...state, prompt: null }, prompt);
  return { ...state, prompt: { ...prompt, text: lengthened(prompt.text, key) } };
}

function lengthened(text: string, key: string): string {
  if (key === 'backspace') return [...text].slice(0, -1).join('');
  const character = key === 'space' ? ' ' : key;
  // names of more than one character are keys without a character
  return [...character].length > 1 || text.length >= longest ? text : text + character;
}

function inHelp(state: State, text: string, key: string): State {
  if (key === 'escape' || key === 'enter') return { ...state, help: null };
  return { ...state, help: lengthened(text, key) };
}

function cancelled(state: State, prompt: Prompt): State {
  const asked = ['confirm', 'edit', 'reason', 'comment', 'time'].includes(prompt.kind);
  const notice = asked ? nothingDone : null;
  return { ...state, prompt: null, notice };
}

function accepted(state: State, prompt: Prompt): State {
  switch (prompt.kind) {
    case 'search':
      return searched(state, prompt.text);
    case 'sort':
      return sorted(state, prompt.text);
    case 'goto':
      return goneTo(state, prompt.text.trim());
    case 'reason':
      return worded(state, prompt);
    case 'comment':
      return commented(state, prompt);
    case 'edit':
      return edited(state, prompt);
    case 'time':
      return timed(state, prompt.text);
    case 'confirm':
      return confirmed(state, prompt);
  }
}

/** Accepts a reason, which is required to reopen a session. */
function worded(state: State, prompt: Prompt & { kind: 'reason' }): State {
  const { decision, text } = prompt;
  if (decision === 'breakGlass' || decision === 'review') return reasoned(state, prompt);
  if (decision === 'reject' || text.trim() !== '')
    return { ...state, deciding: { decision, reason: text } };
  const notice = { text: 'Nothing was done: say what is to be changed.', alarm: true };
  return { ...state, notice };
}

function commented(state: State, { about, text }: Prompt & { kind: 'comment' }): State {
  if (text.trim() !== '') return { ...state, commenting: { text, about } };
  return { ...state, notice: { text: 'The comment is empty: nothing was sent.', alarm: false } };
}

function searched(state: State, text: string): State {
  if (text === '') return { ...state, search: null };
  const search = { text, found: [], cursor: '0', current: 0 };
  // the numbers that a search finds are places in the diff, not in a sorted list
  const inOrder = sortOf(state) === null ? state : relisted(state, { sort: null });
  return followed({ ...inOrder, search, target: null, pane: 'rows' });
}

/** Sorts by the column of this name; restores the order of the diff for an empty text. */
function sorted(state: State, text: string): State {
  if (text === '') return relisted(state, { sort: null });
  const names = currentTable(state)?.columns.map(({ name }) => name) ?? [];
  if (names.includes(text)) return relisted(state, { sort: { column: text, descending: false } });
  const column = text.slice(1);
  if (text.startsWith('-') && names.includes(column))
    return relisted(state, { sort: { column, descending: true } });
  const meant = nearest(text, names);
  const guess = meant === null ? '' : ` Did you mean ${nameCell(meant)}?`;
  return withAlarm(state, `There is no column ${text} in this table.${guess}`);
}

/** Moves to a position if the text is a number, else to a table by its name or a prefix of it. */
function goneTo(state: State, text: string): State {
  if (/^\d+$/.test(text)) return toRow(state, Number(text) - 1);
  const tables = state.outline?.tables ?? [];
  const exact = tables.findIndex(({ table }) => table === text);
  const index = exact >= 0 ? exact : tables.findIndex(({ table }) => table.startsWith(text));
  if (text !== '' && index >= 0) return toTable({ ...state, pane: 'rows' }, index);
  return { ...state, notice: { text: `There is no table ${text} in this diff.`, alarm: true } };
}

const nothingDone = { text: 'Nothing was done.', alarm: false };

const isAgreed = ({ session }: State, text: string) =>
  text === 'yes' || text === shortId(session?.id ?? '');

/** Confirms an edit, together with the dependent rows that the prompt listed. */
function edited(state: State, { edit, dependents, text }: Prompt & { kind: 'edit' }): State {
  if (!isAgreed(state, text.trim())) return { ...state, notice: nothingDone };
  // guard: the review asks before it unstages dependent rows
  return { ...state, edit: { ...edit, withDependents: dependents.length > 0 } };
}

function confirmed(
  state: State,
  { decision, text, plan = { reason: '' }, ties }: Prompt & { kind: 'confirm' },
): State {
  if (!isAgreed(state, text.trim())) return { ...state, notice: nothingDone };
  if (decision === 'reject' || decision === 'reopen')
    return { ...state, prompt: { kind: 'reason', decision, text: '' } };
  if (isApproval(decision) && currentDigest(state) === null) {
    const notice = { text: 'The digest of the diff is not known yet; try again.', alarm: true };
    return { ...state, notice };
  }
  // guard: the review asks before it includes rows that are tied to a part
  const tied = ties === undefined ? {} : { withTies: ties.length > 0 };
  return { ...state, deciding: { decision, ...plan, ...tied } };
}

/** Edits of an active session: conflicts are settled, and rows taken out. Each one asks first. */
/// <reference lib="dom" />
import { nameCell, tableCell } from '../client/cell.ts';
import type { Side } from '../client/edits.ts';
import { conflictPlace, conflictSides, rowPlace } from '../client/place-words.ts';
import type { Conflict } from '../model/conflict.ts';
import type { JsonText } from '../model/json.ts';
import { h } from './dom.ts';
import { request } from './http.ts';
import type { Known } from './known.ts';
import { askWithTies } from './ties.ts';

/** The edits that the session's state and the caller's rights allow; null for each one that they do not. */
export interface Edits {
  readonly settle: ((conflict: Conflict, take: Side) => void) | null;
  /** Takes out a row, or all rows of a table. */
  readonly takeOut: ((table: string, rowId: JsonText | null) => void) | null;
}

/** Returns the edits of a session. @param after called after each edit */
export function editsFor({ session, operations }: Known, after: () => void): Edits {
  const allows = (name: string) => session.status === 'active' && operations.has(name);
  return {
    settle: allows('resolveConflicts')
      ? (conflict, take) => settle(session.id, conflict, take, after)
      : null,
    takeOut: allows('unstageRows')
      ? (table, rowId) => takeOut(session.id, table, rowId, after)
      : null,
  };
}

function settle(id: string, conflict: Conflict, take: Side, after: () => void): void {
  const { table, rowId, field, productionCurrent } = conflict;
  const [, staged, production] = conflictSides(conflict);
  const what =
    field === null ? conflictPlace(conflict) : `${conflictPlace(conflict)} ${nameCell(field)}`;
  // guard: the page settles the conflict that it shows
  const seen = `,"production_current":${productionCurrent?.text ?? 'null'}`;
  askEdit({
    title: 'Settle this conflict?',
    text: `${what}: ${take === 'mine' ? `the session's ${staged}` : `production's ${production}`} stands.`,
    act: take === 'mine' ? "Keep the session's" : "Take production's",
    path: `/sessions/${id}/resolve`,
    members: `"resolutions":[{"table":${JSON.stringify(table)},"row_id":${rowId.text},"field":${JSON.stringify(field)},"take":"${take}"${seen}}]`,
    after,
  });
}

function takeOut(id: string, table: string, rowId: JsonText | null, after: () => void): void {
  const row = rowId === null ? '' : `,"row_id":${rowId.text}`;
  askEdit({
    title: 'Take this out of the session?',
    text: `${rowId === null ? `All rows of ${tableCell(table)}` : rowPlace({ table, rowId })}: as if it had never been staged.`,
    act: 'Take out',
    path: `/sessions/${id}/unstage`,
    members: `"rows":[{"table":${JSON.stringify(table)}${row}}]`,
    after,
  });
}

interface Edit {
  readonly title: string;
  readonly text: string;
  readonly act: string;
  readonly path: string;
  /** Members of the body as JSON, with the original texts of keys and values. */
  readonly members: string;
  readonly after: () => void;
}

/** Asks before an edit. It names the rows that depend on it, and the user has to agree to include them. */
const askEdit = ({ title, text, act, path, members, after }: Edit): void =>
  askWithTies({
    ...{
      title,
      act,
      isGrave: true,
      include: 'Take these out, too',
      named: 'These rows depend on it:',
    },
    body: [h('p', {}, text)],
    send: async (withDependents) => {
      await request('POST', path, `{${members},"with_dependents":${withDependents}}`);
      after();
    },
  });

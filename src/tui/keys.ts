/** The key bindings: names, commands and help texts. */
import { StageError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Decision } from './state/decisions.ts';

/** Movements in the list of the focused pane. */
export type Move = 'down' | 'up' | 'halfDown' | 'halfUp' | 'pageDown' | 'pageUp' | 'first' | 'last';

/** Commands, which change the state. */
export type Command =
  | Move
  | 'left'
  | 'right'
  | 'leftPage'
  | 'rightPage'
  | 'nextTable'
  | 'previousTable'
  | 'nextPane'
  | 'previousPane'
  | 'open'
  | 'back'
  | 'mark'
  | 'range'
  | 'markPart'
  | 'markTable'
  | 'search'
  | 'nextFound'
  | 'previousFound'
  | 'sort'
  | 'nextFilter'
  | 'all'
  | 'inserts'
  | 'updates'
  | 'deletes'
  | 'layout'
  | 'changedOnly'
  | 'wrap'
  | 'types'
  | 'zoom'
  | 'goto'
  | Decision
  | 'mine'
  | 'theirs'
  | 'unstage'
  | 'rehearse'
  | 'comment'
  | 'brief'
  | 'help';

/** Effects, which the program around the state carries out. */
export const effects = ['quit', 'refresh', 'suspend', 'copyCell', 'copyRow'] as const;
export type Effect = (typeof effects)[number];

export interface Binding {
  readonly keys: readonly string[];
  readonly does: Command | Effect;
  readonly help: string;
}

/** The default bindings. */
export const bindings: readonly Binding[] = [
  { keys: ['j', 'down'], does: 'down', help: 'next row' },
  { keys: ['k', 'up'], does: 'up', help: 'previous row' },
  { keys: ['ctrl-d'], does: 'halfDown', help: 'half a page down' },
  { keys: ['ctrl-u'], does: 'halfUp', help: 'half a page up' },
  { keys: ['pagedown', 'ctrl-f'], does: 'pageDown', help: 'a page down' },
  { keys: ['pageup', 'ctrl-b'], does: 'pageUp', help: 'a page up' },
  { keys: ['g', 'home'], does: 'first', help: 'first row' },
  { keys: ['G', 'end'], does: 'last', help: 'last row' },
  { keys: ['h', 'left'], does: 'left', help: 'column to the left; in the detail the row before' },
  { keys: ['l', 'right'], does: 'right', help: 'column to the right; in the detail the next row' },
  { keys: ['H'], does: 'leftPage', help: 'five columns to the left' },
  { keys: ['L'], does: 'rightPage', help: 'five columns to the right' },
  { keys: [']', 'J'], does: 'nextTable', help: 'next table' },
  { keys: ['[', 'K'], does: 'previousTable', help: 'previous table' },
  {
    keys: ['tab'],
    does: 'nextPane',
    help: 'next pane: tables, rows, detail, log, conflicts, comments, effects',
  },
  { keys: ['shift-tab'], does: 'previousPane', help: 'previous pane' },
  { keys: ['enter', 'x'], does: 'open', help: 'open: the rows of a table, the detail of a row' },
  { keys: ['escape'], does: 'back', help: 'back; clears the marks of a part' },
  { keys: ['space'], does: 'mark', help: 'mark as reviewed, or take the mark away' },
  { keys: ['v'], does: 'range', help: 'begin a range to mark' },
  { keys: ['m'], does: 'markPart', help: 'mark the row or range for a part, or unmark it' },
  { keys: ['T'], does: 'markTable', help: 'mark the whole table for a part, or unmark it' },
  { keys: ['/'], does: 'search', help: 'search in the values of this table' },
  { keys: ['n'], does: 'nextFound', help: 'next find' },
  { keys: ['N'], does: 'previousFound', help: 'previous find' },
  { keys: ['S'], does: 'sort', help: 'sort by a column; - before its name: descending' },
  { keys: ['f'], does: 'nextFilter', help: 'filter: all, inserts, updates, deletes in turn' },
  { keys: ['1'], does: 'all', help: 'show all changes' },
  { keys: ['2'], does: 'inserts', help: 'show inserts alone' },
  { keys: ['3'], does: 'updates', help: 'show updates alone' },
  { keys: ['4'], does: 'deletes', help: 'show deletes alone' },
  { keys: ['s'], does: 'layout', help: 'layout: grid, or one change after the other' },
  { keys: ['c'], does: 'changedOnly', help: 'changed columns only' },
  { keys: ['w'], does: 'wrap', help: 'wrap long values in the detail' },
  { keys: ['t'], does: 'types', help: 'types of the columns' },
  { keys: ['+', '_'], does: 'zoom', help: 'one pane on the whole screen' },
  { keys: [':'], does: 'goto', help: 'go to a table by name, or to a row by its position' },
  { keys: ['y'], does: 'copyCell', help: 'copy the cell' },
  { keys: ['Y'], does: 'copyRow', help: 'copy the row as JSON' },
  { keys: ['R'], does: 'refresh', help: 'read everything again' },
  { keys: ['P'], does: 'propose', help: 'propose the session (asks)' },
  {
    keys: ['A'],
    does: 'approve',
    help: 'approve it and apply it to production, or the marked part (asks)',
  },
  { keys: ['W'], does: 'schedule', help: 'approve it now, and apply it later (asks when)' },
  { keys: ['!'], does: 'breakGlass', help: 'approve it past the policy, with a reason (asks)' },
  { keys: ['V'], does: 'review', help: 'review an approval that went past the policy (asks)' },
  { keys: ['D'], does: 'split', help: 'move the marked part to a session of its own (asks)' },
  { keys: ['X'], does: 'reject', help: 'reject it and discard what was staged (asks)' },
  { keys: ['C'], does: 'reopen', help: 'give it back for changes, with a message (asks)' },
  { keys: ['U'], does: 'revert', help: 'take an approved session back, in a new one (asks)' },
  { keys: ['o'], does: 'mine', help: "settle the conflict: the session's value stands" },
  { keys: ['p'], does: 'theirs', help: "settle the conflict: production's value stands" },
  { keys: ['u'], does: 'unstage', help: 'take the row out of the session (asks)' },
  { keys: ['e'], does: 'rehearse', help: 'rehearse the approval: what would really land' },
  { keys: ['M'], does: 'comment', help: 'comment on the row, or on the session' },
  { keys: ['B'], does: 'brief', help: 'what the changes mean: short, whole, folded away' },
  { keys: ['?'], does: 'help', help: 'this help' },
  { keys: ['ctrl-z'], does: 'suspend', help: 'suspend; fg comes back' },
  { keys: ['q', 'ctrl-c'], does: 'quit', help: 'quit' },
];

/** The bindings of this reviewer. */
export interface Keymap {
  readonly bindings: readonly Binding[];
  /** Returns what a key does; undefined if it is not bound. */
  bound(key: string): Command | Effect | undefined;
  /** Returns the key to name in a hint; empty if the reviewer has unbound it. */
  keyFor(does: Command | Effect): string;
}

/** The configured keys of each command or effect. */
export type CustomKeys = Readonly<Record<string, readonly string[]>>;

/**
 * Makes the keymap. A configured key loses its default binding. ctrl-c always quits.
 * @throws StageError `configuration_invalid` for an unknown command, and for a key that is bound twice
 */
export function createKeymap(own: CustomKeys = {}): Keymap {
  checkCustom(own);
  const taken = new Set(Object.values(own).flat());
  const merged = bindings.map((binding) => ({
    ...binding,
    keys: own[binding.does] ?? binding.keys.filter((key) => !taken.has(key)),
  }));
  const byKey = new Map(
    merged.flatMap(({ keys, does }) => keys.map((key) => [key, does] as const)),
  );
  byKey.set('ctrl-c', 'quit');
  return {
    bindings: merged,
    bound: (key) => byKey.get(key),
    keyFor: (does) => merged.find((binding) => binding.does === does)?.keys[0] ?? '',
  };
}

function checkCustom(own: CustomKeys): void {
  const known: string[] = bindings.map(({ does }) => does);
  const unknown = Object.keys(own).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, known);
    throw new StageError('configuration_invalid', `\`keys\`: nothing is called ${unknown}`, {
      hint: `${meant === null ? '' : `Did you mean ${meant}? `}There are: ${known.join(', ')}.`,
    });
  }
  const all = Object.values(own).flat();
  const twice = all.find((key, index) => all.indexOf(key) !== index);
  if (twice === undefined) return;
  throw new StageError('configuration_invalid', `\`keys\`: ${twice} is given twice`, {
    hint: 'Give each key to one thing; see `stage serve --print-config`.',
  });
}

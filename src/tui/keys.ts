/** The keys: what each is called, what it does, and how the help tells it. */
import type { Key } from 'ink';
import type { Command } from './commands.ts';

/** What reaches outside of the state: done by the program around it. */
export const effects = ['quit', 'refresh', 'suspend', 'copyCell', 'copyRow'] as const;
export type Effect = (typeof effects)[number];

export interface Binding {
  readonly keys: readonly string[];
  readonly does: Command | Effect;
  readonly help: string;
}

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
  { keys: ['tab'], does: 'nextPane', help: 'next pane: tables, rows, detail, log, conflicts' },
  { keys: ['shift-tab'], does: 'previousPane', help: 'previous pane' },
  { keys: ['enter', 'x'], does: 'open', help: 'open: the rows of a table, the detail of a row' },
  { keys: ['escape'], does: 'back', help: 'back' },
  { keys: ['space'], does: 'mark', help: 'mark as reviewed, or take the mark away' },
  { keys: ['v'], does: 'range', help: 'begin a range to mark' },
  { keys: ['/'], does: 'search', help: 'search in the values of this table' },
  { keys: ['n'], does: 'nextFound', help: 'next find' },
  { keys: ['N'], does: 'previousFound', help: 'previous find' },
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
  { keys: ['A'], does: 'approve', help: 'approve it and apply it to production (asks)' },
  { keys: ['X'], does: 'reject', help: 'reject it and discard what was staged (asks)' },
  { keys: ['?'], does: 'help', help: 'this help' },
  { keys: ['ctrl-z'], does: 'suspend', help: 'suspend; fg comes back' },
  { keys: ['q', 'ctrl-c'], does: 'quit', help: 'quit' },
];

const byKey = new Map(
  bindings.flatMap(({ keys, does }) => keys.map((key) => [key, does] as const)),
);

/** What a key does; undefined where it does nothing. */
export function bound(key: string): Command | Effect | undefined {
  return byKey.get(key);
}

const special = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageDown', 'pagedown'],
  ['pageUp', 'pageup'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
] as const;

const inText: Readonly<Record<string, string>> = {
  ' ': 'space',
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x7f': 'backspace',
};

/** The names of the keys that one event of Ink stands for: characters that came fast arrive as one. */
export function keyNames(input: string, key: Key): string[] {
  if (key.tab) return [key.shift ? 'shift-tab' : 'tab'];
  const name = special.find(([field]) => key[field])?.[1];
  if (name !== undefined) return [name];
  if (key.ctrl) return [`ctrl-${input}`];
  if (key.meta) return [];
  return [...input].map((character) => inText[character] ?? character);
}

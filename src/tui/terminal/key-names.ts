/** The names of keys, independent of what the terminal sends for them. */
import type { Key } from 'ink';

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

/** Returns the names of the keys in one event of Ink, which combines characters that arrive quickly. */
export function keyNames(input: string, key: Key): string[] {
  if (key.tab) return [key.shift ? 'shift-tab' : 'tab'];
  const name = special.find(([field]) => key[field])?.[1];
  if (name !== undefined) return [name];
  if (key.ctrl) return [`ctrl-${input}`];
  if (key.meta) return [];
  return [...input].map((character) => inText[character] ?? character);
}

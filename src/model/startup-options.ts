/**
 * Parses the start-up parameter `options`: a command line for the server, split at white space with backslash as escape.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-OPTIONS
 */
import { StageError } from '../errors.ts';

/** `-c name=value` or `--name=value`. */
export interface Setting {
  readonly kind: 'setting';
  readonly name: string;
  readonly value: string;
}

/** Any other switch of the server, e.g. `-e` or `-S 64`. */
export interface Switch {
  readonly kind: 'switch';
  readonly letter: string;
  readonly value: string | null;
}

/** The switches of the server that take a value, in the same word or in the next one. */
const withValue = new Set('BCDNWcdfhkprStv-');

/**
 * Parses an `options` text as the server does.
 * @throws StageError `session_not_found` (08004) if a word is not a switch: the session it selects is unclear
 */
export function parseOptions(text: string): (Setting | Switch)[] {
  const words = splitWords(text);
  const parsed: (Setting | Switch)[] = [];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!/^-./.test(word) || word === '--') throw unreadable(word);
    parsed.push(...parseWord(word, words));
  }
  return parsed;
}

/** Formats options as one text that the server parses as the same switches. */
export function formatOptions(options: readonly (Setting | Switch)[]): string {
  return options.map(formatOption).join(' ');
}

/** Returns the setting that an option sets, or null. No other switch sets a setting that SET may be refused for. */
export function settingOf(option: Setting | Switch): readonly [name: string, value: string] | null {
  if (option.kind === 'setting') return [option.name, option.value];
  // guard: switches are settings, too
  return option.letter === 'O' ? ['allow_system_table_mods', 'on'] : null;
}

/** Parses a word, which may bundle letters (`-ec name=value`). The first that takes a value takes the rest, or the next word. */
function parseWord(word: string, following: string[]): (Setting | Switch)[] {
  const parsed: (Setting | Switch)[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] as string;
    if (!/[A-Za-z-]/.test(letter)) throw unreadable(word);
    if (!withValue.has(letter)) {
      parsed.push({ kind: 'switch', letter, value: null });
      continue;
    }
    const value = word.slice(at + 1) || following.shift();
    if (value === undefined) throw unreadable(word);
    parsed.push(
      letter === 'c' || letter === '-' ? parseSetting(value) : { kind: 'switch', letter, value },
    );
    break;
  }
  return parsed;
}

function parseSetting(text: string): Setting {
  const equals = text.indexOf('=');
  if (equals < 1) throw unreadable(text);
  // The server replaces hyphens in the name by underscores, after `--` and after `-c`.
  return {
    kind: 'setting',
    name: text.slice(0, equals).replaceAll('-', '_'),
    value: text.slice(equals + 1),
  };
}

function formatOption(option: Setting | Switch): string {
  if (option.kind === 'setting') return `-c ${escapeWord(`${option.name}=${option.value}`)}`;
  const value = option.value === null ? '' : ` ${escapeWord(option.value)}`;
  return `-${option.letter}${value}`;
}

/** The characters that C's isspace() accepts. */
const space = /[ \t\n\v\f\r]/;

function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let escaped = false;
  for (const character of text) {
    if (!escaped && space.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (!escaped && character === '\\') {
      word ??= '';
      escaped = true;
    } else {
      word = (word ?? '') + character;
      escaped = false;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

function escapeWord(word: string): string {
  return word.replace(/[\\ \t\n\v\f\r]/g, '\\$&');
}

function unreadable(word: string): StageError {
  return new StageError('session_not_found', `invalid connection option ${JSON.stringify(word)}`, {
    hint: "Write each option as -c name=value, e.g. options='-c service_session=sess_...'.",
  });
}

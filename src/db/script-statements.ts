/** Which statement of a script is at a place: to tell people of it. Nothing is decided by it, for only the server reads scripts. */

export interface ScriptStatement {
  /** Among those that are not empty, from 1: as the server counts them. */
  readonly number: number;
  /** Of its first word. */
  readonly line: number;
  /** On one line, and no longer than one. */
  readonly text: string;
}

/** Of nested comments only the beginning: they are no regular language. */
const token =
  /\s+|--[^\n]*|\/\*|[eE]'(?:[^'\\]+|\\[\s\S]|'')*'?|'[^']*'?|"[^"]*"?|(\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)[\s\S]*?(?:\1|$)|[\w$\u0080-\uffff]+|[\s\S]/y;

/** Finds the statement by its number. */
export const statementOfNumber = (text: string, number: number): ScriptStatement | null =>
  find(text, (each) => each.number === number);

/** Finds the statement that a place is in, given in characters from 1; behind the last one that one. */
export function statementAt(text: string, position: number): ScriptStatement | null {
  const offset = [...text].slice(0, position - 1).join('').length;
  return find(text, ({ end }) => offset < end);
}

interface Found {
  readonly number: number;
  readonly start: number;
  /** Behind its semicolon. */
  readonly end: number;
}

function find(text: string, isMeant: (found: Found) => boolean): ScriptStatement | null {
  let last: Found | null = null;
  for (const found of statements(text)) {
    last = found;
    if (isMeant(found)) break;
  }
  if (last === null) return null;
  const line = text.slice(0, last.start).split('\n').length;
  return { number: last.number, line, text: onOneLine(text.slice(last.start, last.end)) };
}

function* statements(text: string): Generator<Found> {
  let number = 1;
  let start = -1;
  for (let at = 0; at < text.length; ) {
    const end = tokenEnd(text, at);
    const first = text[at] ?? '';
    const isBlank = /\s/.test(first) || /^(?:--|\/\*)/.test(text.slice(at, at + 2));
    if (start < 0 && !isBlank && first !== ';') start = at;
    if (first === ';' && start >= 0) {
      yield { number, start, end };
      number += 1;
      start = -1;
    }
    at = end;
  }
  if (start >= 0) yield { number, start, end: text.length };
}

function tokenEnd(text: string, at: number): number {
  token.lastIndex = at;
  token.test(text);
  return text.startsWith('/*', at) ? commentEnd(text, at) : token.lastIndex;
}

function commentEnd(text: string, from: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  let depth = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}

const longest = 100;

function onOneLine(text: string): string {
  const line = text
    .slice(0, 10 * longest)
    .replace(/\s+/g, ' ')
    .replace(/ ?;$/, '')
    .trim();
  const characters = [...line];
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : line;
}

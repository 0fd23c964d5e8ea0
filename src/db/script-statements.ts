/** Locates statements in a script, for messages only: scripts are parsed by the server alone. */

export interface ScriptStatement {
  /** Number among the statements that are not empty, from 1: as the server counts. */
  readonly number: number;
  /** Line of its first word. */
  readonly line: number;
  /** Its text on one line, truncated. */
  readonly text: string;
}

/** The next token. Of a comment it matches only the opening, because nested comments are not a regular language. */
const token =
  /\s+|--[^\n]*|\/\*|[eE]'(?:[^'\\]+|\\[\s\S]|'')*'?|'[^']*'?|"[^"]*"?|(\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)[\s\S]*?(?:\1|$)|[\w$\u0080-\uffff]+|[\s\S]/y;

/** Finds a statement by its number. */
export const statementOfNumber = (text: string, number: number): ScriptStatement | null =>
  find(text, (each) => each.number === number);

/** Finds the statement at a position in characters from 1; the last one if the position is behind all statements. */
export function statementAt(text: string, position: number): ScriptStatement | null {
  const offset = [...text].slice(0, position - 1).join('').length;
  return find(text, ({ end }) => offset < end);
}

interface Found {
  readonly number: number;
  readonly start: number;
  /** Offset behind its semicolon. */
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

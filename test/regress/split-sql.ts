/** Splits a file for psql into statements, by psql's rules as far as regression files need them. */

export interface FileStatement {
  readonly text: string;
  /** First line in the file, from 1. */
  readonly line: number;
  /** The data after a COPY FROM STDIN, up to `\.`. */
  readonly data: string | null;
}

export interface SplitFile {
  readonly statements: readonly FileStatement[];
  /** Commands of psql itself, which are left out. */
  readonly commands: number;
}

interface Scanner {
  readonly sql: string;
  at: number;
  start: number;
  depth: number;
  atomic: number;
  readonly statements: FileStatement[];
  readonly variables: Map<string, string>;
  readonly environment: ReadonlyMap<string, string>;
  commands: number;
}

/** Pieces in which a semicolon does not end a statement, at the scanner's place. */
const opaque = [
  /--[^\n]*/y,
  /\/\*(?:[^*]|\*(?!\/))*\*\//y,
  /\b[eE]'(?:[^'\\]|\\.|'')*'/sy,
  /'(?:[^']|'')*'/y,
  /"(?:[^"]|"")*"/y,
  /(\$(?:[A-Za-z_]\w*)?\$).*?\1/sy,
  /[A-Za-z_][\w$]*/y,
];

/**
 * Reads the whole file.
 * @param environment what `\getenv` finds
 */
export function splitSql(
  sql: string,
  environment: ReadonlyMap<string, string> = new Map(),
): SplitFile {
  const scanner: Scanner = {
    sql,
    at: 0,
    start: 0,
    depth: 0,
    atomic: 0,
    statements: [],
    variables: new Map(),
    environment,
    commands: 0,
  };
  while (scanner.at < sql.length) step(scanner);
  finish(scanner, sql.length);
  return { statements: scanner.statements, commands: scanner.commands };
}

function step(scanner: Scanner): void {
  const { sql, at } = scanner;
  const piece = opaquePiece(sql, at);
  if (piece !== null) {
    countAtomic(scanner, piece);
    scanner.at += piece.length;
    return;
  }
  const character = sql[at];
  if (character === '(') scanner.depth += 1;
  if (character === ')') scanner.depth -= 1;
  if (character === '\\') backslash(scanner);
  else if (character === ';' && scanner.depth <= 0 && scanner.atomic === 0) finish(scanner, at + 1);
  else scanner.at += 1;
}

/** The body of a function in BEGIN ATOMIC ... END holds semicolons of its own. */
function countAtomic(scanner: Scanner, word: string): void {
  const { sql, at } = scanner;
  if (scanner.atomic === 0) {
    if (/^begin\s+atomic\b/i.test(sql.slice(at, at + 20))) scanner.atomic = 1;
    return;
  }
  if (/^case$/i.test(word)) scanner.atomic += 1;
  if (/^end$/i.test(word)) scanner.atomic -= 1;
}

function opaquePiece(sql: string, at: number): string | null {
  for (const pattern of opaque) {
    pattern.lastIndex = at;
    const found = pattern.exec(sql)?.[0];
    if (found) return found;
  }
  return null;
}

/** `\;` joins statements into one message; any other command ends the statement before it, and its line. */
function backslash(scanner: Scanner): void {
  const { sql, at } = scanner;
  if (sql[at + 1] === ';') {
    scanner.at += 2;
    return;
  }
  finish(scanner, at);
  scanner.commands += 1;
  const end = sql.indexOf('\n', at);
  scanner.at = end === -1 ? sql.length : end;
  scanner.start = scanner.at;
  setVariable(scanner, sql.slice(at, scanner.at));
}

/** `\getenv name VARIABLE`, and `\set name value ...`, whose values are joined. */
function setVariable({ variables, environment }: Scanner, command: string): void {
  const [, verb, name, rest = ''] = /^\\(getenv|set)\s+(\w+)\s+(.*)$/.exec(command) ?? [];
  if (name === undefined) return;
  const value =
    verb === 'getenv'
      ? environment.get(rest.trim())
      : [...rest.matchAll(/:(\w+)|'([^']*)'|(\S+)/g)]
          .map(
            ([, variable, quoted, bare]) => quoted ?? bare ?? variables.get(variable ?? '') ?? '',
          )
          .join('');
  if (value !== undefined) variables.set(name, value);
}

/** `:'name'` is the value of a variable as a string, `:"name"` as a name; unknown ones stay as they are. */
function interpolated({ variables }: Scanner, text: string): string {
  return text.replaceAll(/:(['"])(\w+)\1/g, (written, quote: string, name: string) => {
    const value = variables.get(name);
    return value === undefined
      ? written
      : `${quote}${value.replaceAll(quote, quote + quote)}${quote}`;
  });
}

function finish(scanner: Scanner, end: number): void {
  const { sql, start } = scanner;
  const text = sql.slice(start, end).replace(/^(\s|--[^\n]*(\n|$)|\/\*.*?\*\/)+/s, '');
  scanner.at = end;
  scanner.depth = 0;
  scanner.atomic = 0;
  if (text.replaceAll(';', '').trim() !== '') {
    const line = sql.slice(0, end - text.length).split('\n').length;
    const body = interpolated(scanner, text.replaceAll('\\;', ';').replace(/;\s*$/, ''));
    scanner.statements.push({ text: body, line, data: copyData(scanner, body) });
  }
  scanner.start = scanner.at;
}

/** Data follows on the next line, up to a line with `\.` alone. */
function copyData(scanner: Scanner, text: string): string | null {
  if (!/^copy\b.*\bfrom\s+stdin\b/is.test(text)) return null;
  const begin = scanner.sql.indexOf('\n', scanner.at) + 1;
  const end = /^\\\.[ \t]*$/m.exec(scanner.sql.slice(begin));
  if (begin === 0 || end === null) return '';
  scanner.at = begin + end.index + end[0].length;
  return scanner.sql.slice(begin, begin + end.index);
}

/** The tokens of a `--where` condition. */

export interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'sign' | 'end';
  /** Words and signs as written; names and texts without their quotes. */
  readonly text: string;
  /** The position of its first character. */
  readonly at: number;
}

const forms: readonly (readonly [Token['kind'], RegExp])[] = [
  ['text', /'(?:[^']|'')*'/y],
  ['name', /"(?:[^"]|"")+"/y],
  ['number', /[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,4})?/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['sign', /<>|!=|<=|>=|[=<>(),]/y],
];

/**
 * Splits a condition into tokens.
 * @throws SyntaxError at an invalid one
 */
export function tokensOf(condition: string): Token[] {
  const tokens: Token[] = [];
  let at = spaceEnd(condition, 0);
  while (at < condition.length) {
    const token = tokenAt(condition, at);
    tokens.push({ ...token, text: bare(token) });
    at = spaceEnd(condition, at + token.text.length);
  }
  return [...tokens, { kind: 'end', text: '', at }];
}

function tokenAt(condition: string, at: number): Token {
  for (const [kind, form] of forms) {
    form.lastIndex = at;
    const text = form.exec(condition)?.[0];
    if (text !== undefined) return { kind, text, at };
  }
  throw new SyntaxError(`cannot be read from ${JSON.stringify(condition.slice(at, at + 20))} on`);
}

function bare({ kind, text }: Token): string {
  if (kind === 'text') return text.slice(1, -1).replaceAll("''", "'");
  if (kind === 'name') return text.slice(1, -1).replaceAll('""', '"');
  return text;
}

function spaceEnd(text: string, at: number): number {
  const space = /\s*/y;
  space.lastIndex = at;
  return at + (space.exec(text)?.[0].length ?? 0);
}

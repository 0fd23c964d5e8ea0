/**
 * Makes text from the database, from other people or from the network safe to show. A row could otherwise write to the clipboard, retitle
 * the window, conceal itself or reorder the text around it.
 */

/**
 * Control, format, private and unassigned characters, lone surrogates, separators, characters without a glyph, and every space other than
 * the ordinary one.
 */
const unsafe = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const shortEscapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

/** Replaces everything that could control a terminal or deceive its reader by a visible escape in PostgreSQL's syntax. */
export function sanitize(text: string): string {
  return text.replace(unsafe, (character) => (character === ' ' ? ' ' : escapeOf(character)));
}

/** Returns whether `sanitize` leaves a text unchanged. */
export function isSafe(text: string): boolean {
  return sanitize(text) === text;
}

function escapeOf(character: string): string {
  const short = shortEscapes[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}

/**
 * Makes JSON safe to show without changing its meaning: characters that `sanitize` would replace become JSON escapes. Parts of a document
 * are accepted, too, since such characters occur only in strings.
 */
export function safeJson(json: string): string {
  return json.replace(unsafe, (character) =>
    betweenValues.test(character) ? character : jsonEscapes(character),
  );
}

const betweenValues = /[ \t\n\r]/;

function jsonEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

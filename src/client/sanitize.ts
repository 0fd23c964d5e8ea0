/**
 * Makes text from the database, from other people or from the network safe to show. A row can otherwise write to the
 * clipboard, retitle the window, conceal itself or swap what stands before and after it.
 */

/**
 * Control, format, private and unassigned characters, lone surrogates, separators, characters without a glyph,
 * and every space that is not the ordinary one.
 */
const unsafe = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const shortEscapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

/** Replaces everything that could act on a terminal or deceive its reader by a visible escape, as PostgreSQL writes it. */
export function sanitize(text: string): string {
  return text.replace(unsafe, (character) => (character === ' ' ? ' ' : escapeOf(character)));
}

/** Whether a text would come out of sanitize as it is. */
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
 * Makes JSON safe to show and leaves it the same document: what sanitize would replace is escaped as JSON knows it.
 * A part of a document will do, since such characters stand in strings only.
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

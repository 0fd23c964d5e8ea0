/** Writes untrusted text in Markdown literally: never as markup, mention, link or HTML. */
import { sanitize } from '../../client/sanitize.ts';

/**
 * Writes a text as code. Every character that could have a meaning in Markdown or HTML becomes a character reference, which never does
 * (CommonMark 2.5). Within `code`, hosts turn neither names nor numbers into mentions.
 */
export function markdownCode(text: string): string {
  return `<code>${sanitize(text).replace(active, (character) => `&#${character.charCodeAt(0)};`)}</code>`;
}

/** ASCII punctuation except that of plain words and numbers; a dot could end the host of a link. */
const active = /[!-'*+/:-@[-`{-~]|(?<!\d)\.|\.(?!\d)/g;

/** Writes a cell of a table: plain words and numbers as they are, everything else as code. */
export function markdownCell(text: string): string {
  return /^[\p{L}\p{N} ,()-]*$/u.test(text) ? text : markdownCode(text);
}

/** Joins cells, which are already escaped, into a line of a table. */
export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

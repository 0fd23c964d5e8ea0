/** Text from strangers in Markdown: shown letter by letter, never as markup, mention, link or HTML. */
import { sanitize } from '../../client/sanitize.ts';

/**
 * Writes a text as code. Whatever could mean something in Markdown or HTML is written as a character reference, which never
 * does (CommonMark 2.5); within `code` hosts turn neither names nor numbers into mentions.
 */
export function markdownCode(text: string): string {
  return `<code>${sanitize(text).replace(active, (character) => `&#${character.charCodeAt(0)};`)}</code>`;
}

/** ASCII punctuation but that of plain words and numbers; a dot could end the host of a link. */
const active = /[!-'*+/:-@[-`{-~]|(?<!\d)\.|\.(?!\d)/g;

/** Writes a cell of a table: plain words and numbers as they are, all else as code. */
export function markdownCell(text: string): string {
  return /^[\p{L}\p{N} ,()-]*$/u.test(text) ? text : markdownCode(text);
}

/** Puts cells, made safe already, into a line of a table. */
export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/** From meanings to escape sequences: the sixteen base colours alone, or none at all. */
import type { Line, Style } from './line.ts';
import { textOf } from './line.ts';

/** Codes of SGR, see ECMA-48. */
const codes: Readonly<Record<Style, string>> = {
  added: '32',
  removed: '31',
  changed: '33',
  faint: '2',
  strong: '1',
  chosen: '7',
  accent: '36',
  alarm: '1;31',
};

export type Theme = (line: Line) => string;

/** Makes the function that writes a line. Without colours every meaning is in the text already. */
export function createTheme(colours: boolean): Theme {
  if (!colours) return textOf;
  return (line) =>
    line
      .map(({ text, style }) =>
        style === undefined || text === '' ? text : `\x1b[${codes[style]}m${text}\x1b[0m`,
      )
      .join('');
}

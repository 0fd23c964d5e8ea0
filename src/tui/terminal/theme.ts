/** Converts styles to escape sequences: the sixteen base colours, or none at all. */
import type { Line, Style } from './line.ts';
import { textOf } from './line.ts';

/** `blue-orange` is for people who cannot distinguish red from green. */
export type ThemeName = 'standard' | 'blue-orange';

/** The SGR codes, see ECMA-48. */
const standard: Readonly<Record<Style, string>> = {
  added: '32',
  removed: '31',
  changed: '33',
  faint: '2',
  strong: '1',
  chosen: '7',
  accent: '36',
  alarm: '1;31',
};

/** The codes of each theme. Terminals show 33 as orange or a similar yellow. */
const themes: Readonly<Record<ThemeName, Readonly<Record<Style, string>>>> = {
  standard,
  'blue-orange': { ...standard, added: '94', removed: '33', changed: '1', alarm: '1;33' },
};

export type Theme = (line: Line) => string;

/** Makes the function that formats a line. The text has every meaning without colours, too. */
export function createTheme(colours: boolean, name: ThemeName = 'standard'): Theme {
  if (!colours) return textOf;
  const codes = themes[name];
  return (line) =>
    line
      .map(({ text, style }) =>
        style === undefined || text === '' ? text : `\x1b[${codes[style]}m${text}\x1b[0m`,
      )
      .join('');
}

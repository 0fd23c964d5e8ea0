/** A line of the screen: pieces of text with a style each, before colours are chosen. */
import { ellipsis, startOf, widthOf } from './text.ts';

export type Style =
  | 'added'
  | 'removed'
  | 'changed'
  | 'faint'
  | 'strong'
  | 'chosen'
  | 'accent'
  | 'alarm';

export interface Span {
  readonly text: string;
  readonly style?: Style;
}

export type Line = readonly Span[];

/** Makes a span. */
export function span(text: string, style?: Style): Span {
  return style === undefined ? { text } : { text, style };
}

/** Returns the width of a line in columns. */
export const lineWidth = (line: Line) => line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** Cuts or pads a line to exactly `width` columns. */
export function fitLine(line: Line, width: number): Line {
  const total = lineWidth(line);
  if (total <= width) return total === width ? line : [...line, span(' '.repeat(width - total))];
  const fitted: Span[] = [];
  let left = width - 1;
  for (const piece of line) {
    const taken = startOf(piece.text, left);
    left -= widthOf(taken);
    fitted.push({ ...piece, text: taken });
    if (taken !== piece.text) break;
  }
  const fill = span(' '.repeat(Math.max(0, left)));
  return width < 1 ? [] : [...fitted, span(ellipsis, 'faint'), fill];
}

/** Cuts or pads a list to exactly `height` lines, each of `width` columns. */
export function fitLines(lines: readonly Line[], width: number, height: number): Line[] {
  return Array.from({ length: Math.max(0, height) }, (_, index) =>
    fitLine(lines[index] ?? [], width),
  );
}

/** Places lists of lines side by side, with a rule between them. */
export function beside(left: readonly Line[], right: readonly Line[]): Line[] {
  return left.map((line, index) => [...line, span('│', 'faint'), ...(right[index] ?? [])]);
}

/** Breaks a line into several of at most `width` columns. */
export function wrapLine(line: Line, width: number): Line[] {
  const lines: Span[][] = [[]];
  let left = width;
  for (const piece of line) {
    for (let rest = piece.text; rest !== ''; ) {
      const taken = startOf(rest, left);
      if (taken === '' && left === width) break;
      lines.at(-1)?.push({ ...piece, text: taken });
      left -= widthOf(taken);
      rest = rest.slice(taken.length);
      if (rest === '') break;
      lines.push([]);
      left = width;
    }
  }
  return lines;
}

/** Returns the text of a line, without its styles. */
export const textOf = (line: Line) => line.map(({ text }) => text).join('');

/** Measures, cuts and wraps text in columns of a terminal. The text must be sanitized. */
import stringWidth from 'string-width';

const segments = new Intl.Segmenter();
/** Characters of one column and one code unit, which need no measuring: Latin, Greek and Cyrillic letters, the interface's signs. */
const plain = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f│─→…✓‹›]*$/;
export const ellipsis = '…';

/** Returns the width of a text in columns. */
export function widthOf(text: string): number {
  return plain.test(text) ? text.length : stringWidth(text);
}

/** Returns the longest prefix of whole characters that fits into `width` columns. */
export function startOf(text: string, width: number): string {
  if (width <= 0) return '';
  if (plain.test(text)) return text.slice(0, width);
  let taken = '';
  let used = 0;
  for (const { segment } of segments.segment(text)) {
    used += widthOf(segment);
    if (used > width) break;
    taken += segment;
  }
  return taken;
}

/** Cuts a text to `width` columns, with an ellipsis where it was cut. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return width < 1 ? '' : startOf(text, width - 1) + ellipsis;
}

/** Cuts or pads a text to exactly `width` columns. */
export function fit(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const shown = cut(text, width);
  const fill = ' '.repeat(Math.max(0, width - widthOf(shown)));
  return align === 'left' ? shown + fill : fill + shown;
}

/** Breaks a text into lines of at most `width` columns, at a space if it is in the second half of the line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (widthOf(rest) > width) {
    const whole = startOf(rest, width) || rest.slice(0, 1);
    const space = whole.lastIndexOf(' ');
    const line = space > width / 2 ? whole.slice(0, space + 1) : whole;
    lines.push(line.trimEnd());
    rest = rest.slice(line.length);
  }
  return [...lines, rest];
}

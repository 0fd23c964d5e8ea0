/** Text in the columns of a terminal: measured, cut and wrapped. Takes text that was made safe to show. */
import stringWidth from 'string-width';

const segments = new Intl.Segmenter();
/** Characters of one column and one unit each, Latin, Greek and Cyrillic letters and our own signs: measured by counting. */
const plain = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f│─→…✓‹›]*$/;
export const ellipsis = '…';

/** How many columns a text takes. */
export function widthOf(text: string): number {
  return plain.test(text) ? text.length : stringWidth(text);
}

/** The longest beginning that takes no more than so many columns; whole characters only. */
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

/** Cuts a text to so many columns; what was cut shows. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return width < 1 ? '' : startOf(text, width - 1) + ellipsis;
}

/** Cuts or fills a text to exactly so many columns. */
export function fit(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const shown = cut(text, width);
  const fill = ' '.repeat(Math.max(0, width - widthOf(shown)));
  return align === 'left' ? shown + fill : fill + shown;
}

/** Breaks a text into lines of at most so many columns: at spaces where that leaves no great gap. */
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

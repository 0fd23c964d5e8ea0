/** Shortens long values so that two different values never look the same. */

/** Number of common characters that are shown before the first difference. */
const lead = 12;

/** Returns the start of a text, with its length if much of it is left out. */
export function excerpt(text: string, length: number): string {
  return cutAt(text, 0, length);
}

/** Shortens two texts: from the start, or from just before the first difference if the start does not contain it. */
export function excerpts(was: string, is: string, length: number): [string, string] {
  const differs = firstDifference(was, is);
  const start = differs < length - lead ? 0 : differs - lead;
  return [cutAt(was, start, length), cutAt(is, start, length)];
}

function cutAt(text: string, start: number, length: number): string {
  const end = Math.min(text.length, start + length);
  const [before, after] = [start > 0 ? '…' : '', end < text.length ? '…' : ''];
  const isMuch = text.length - length > 1000;
  const all = isMuch ? ` (${text.length.toLocaleString('en-US')} characters)` : '';
  return `${before}${text.slice(start, end)}${after}${all}`;
}

function firstDifference(was: string, is: string): number {
  const most = Math.min(was.length, is.length);
  let at = 0;
  while (at < most && was.charCodeAt(at) === is.charCodeAt(at)) at += 1;
  return at;
}

/** Replaces parts of a statement by bytes: locations are bytes, and JavaScript's string indexes are not. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface Replacement extends ByteRange {
  readonly text: string;
}

/** Whether two ranges are the same: what is put in before something begins where that does, and is none of it. */
export const isSameRange = (one: ByteRange, other: ByteRange): boolean =>
  one.start === other.start && one.end === other.end;

/** Whether one range is a part of another. */
export const isWithin = (inner: ByteRange, outer: ByteRange): boolean =>
  inner.start >= outer.start && inner.end <= outer.end;

/**
 * Gives a text in which ranges are replaced, in whatever order they come.
 * @throws RangeError when they overlap or leave the text.
 */
export function spliceBytes(text: Buffer, replacements: readonly Replacement[]): Buffer {
  const ordered = [...replacements].sort(
    (one, other) => one.start - other.start || one.end - other.end,
  );
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end, text: replacement } of ordered) {
    if (start < at || end < start || end > text.length) {
      throw new RangeError(`cannot replace bytes ${start} to ${end} of ${text.length}`);
    }
    pieces.push(text.subarray(at, start), Buffer.from(replacement));
    at = end;
  }
  pieces.push(text.subarray(at));
  return Buffer.concat(pieces);
}

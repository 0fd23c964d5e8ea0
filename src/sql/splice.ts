/** Byte ranges of a statement and their replacement. Locations are in bytes, unlike JavaScript's string indexes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface Replacement extends ByteRange {
  readonly text: string;
}

/** Returns whether two ranges are equal. An insertion before a range has the same start, but is not equal to it. */
export const isSameRange = (one: ByteRange, other: ByteRange): boolean =>
  one.start === other.start && one.end === other.end;

/** Returns whether `inner` is within `outer`. */
export const isWithin = (inner: ByteRange, outer: ByteRange): boolean =>
  inner.start >= outer.start && inner.end <= outer.end;

/**
 * Returns the text with the ranges replaced. The replacements may come in any order.
 * @throws RangeError if ranges overlap or exceed the text.
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

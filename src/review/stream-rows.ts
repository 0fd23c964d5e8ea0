/** Reads a long result through a server-side cursor, so that only a piece of it is in memory. */
import type { Queryable, Row } from '../db/database.ts';

/** Pieces grow and shrink towards this many characters: rows may be tiny, or hold a whole document. */
const pieceLength = 1_000_000;
const smallestPiece = 16;
const biggestPiece = 4096;

/**
 * Streams the rows of a query inside the caller's transaction.
 * @param cursor the cursor's name, unique among those open in the transaction
 */
export async function* streamRows(
  tx: Queryable,
  cursor: string,
  select: string,
  values: readonly (string | number | null)[] = [],
): AsyncGenerator<Row, void> {
  await tx.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${select}`, values);
  for (let size = smallestPiece, more = true; more; ) {
    const rows = await tx.query(`FETCH ${size} FROM ${cursor}`);
    yield* rows;
    more = rows.length === size;
    size = nextSize(rows, size);
  }
  await tx.query(`CLOSE ${cursor}`);
}

function nextSize(rows: readonly Row[], size: number): number {
  const length = rows.reduce(
    (sum, row) => Object.values(row).reduce((part, value) => part + (value?.length ?? 0), sum),
    1,
  );
  const fitting = Math.floor((size * pieceLength) / length);
  return Math.max(smallestPiece, Math.min(fitting, size * 4, biggestPiece));
}

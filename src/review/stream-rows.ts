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
  let size = smallestPiece;
  const fetch = () => tx.query(`FETCH ${size} FROM ${cursor}`);
  for (let piece: Promise<Row[]> | null = fetch(); piece !== null; ) {
    const rows: Row[] = await piece;
    const more = rows.length === size;
    size = nextSize(rows, size);
    // while these are worked on, the server has the next ones ready
    piece = more ? fetch() : null;
    piece?.catch(() => undefined);
    yield* rows;
  }
  await tx.query(`CLOSE ${cursor}`);
}

function nextSize(rows: readonly Row[], size: number): number {
  let length = 1;
  for (const row of rows) for (const name in row) length += row[name]?.length ?? 0;
  const fitting = Math.floor((size * pieceLength) / length);
  return Math.max(smallestPiece, Math.min(fitting, size * 4, biggestPiece));
}

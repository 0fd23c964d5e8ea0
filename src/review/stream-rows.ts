/** Reads a long result in chunks, so that only a chunk of it is in memory. */
import type { Queryable, Row } from '../db/database.ts';

/** Chunks grow and shrink towards this many characters: rows may be tiny, or contain a whole document. */
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
  await openCursor(tx, cursor, select, values);
  yield* fetchRows(tx, cursor);
}

/** Opens a cursor on the current state of the transaction. */
export async function openCursor(
  tx: Queryable,
  cursor: string,
  select: string,
  values: readonly (string | number | null)[] = [],
): Promise<void> {
  await tx.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${select}`, values);
}

/** Streams the rows of an open cursor, and closes it. */
export async function* fetchRows(tx: Queryable, cursor: string): AsyncGenerator<Row, void> {
  for await (const rows of inPieces((size) => tx.query(`FETCH ${size} FROM ${cursor}`)))
    yield* rows;
  await tx.query(`CLOSE ${cursor}`);
}

/**
 * Streams the rows of a query that can return any part of them: for a cursor, the server would store the whole result of a function. Rows
 * come in arrays, because a promise for each row would take more time than its processing.
 * @param select returns rows in the order of their `number`: those after $1, of the kind $2 unless it is null, without the first $3, at
 * most $4
 */
export async function* streamPages(tx: Queryable, select: string): AsyncGenerator<Row[], void> {
  yield* inPieces((size, last) => tx.query(select, [last?.['number'] ?? '0', null, 0, size]));
}

/** Reads rows in chunks. @param read returns the next rows after the last one read, at most `size` */
async function* inPieces(
  read: (size: number, last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[], void> {
  let size = smallestPiece;
  for (let piece: Promise<Row[]> | null = read(size, undefined); piece !== null; ) {
    const rows: Row[] = await piece;
    const more = rows.length === size;
    size = nextSize(rows, size);
    // while these are processed, the server prepares the next ones
    piece = more ? read(size, rows.at(-1)) : null;
    piece?.catch(() => undefined);
    yield rows;
  }
}

/** The least bigint. */
const beginning = '-9223372036854775808';

/**
 * Reads rows in pages, each by a separate statement, so that no snapshot exists longer than one statement. If rows are only ever added, and
 * after the last one, it can continue with those added since.
 */
export class PagedRows {
  readonly #db: Queryable;
  readonly #select: string;
  readonly #column: string;
  #size = smallestPiece;
  #last: Row | null = null;
  #rows: Row[] = [];
  #place = 0;

  /**
   * @param select returns rows from $1 on in the order of the column
   * @param column a bigint
   */
  constructor(db: Queryable, select: string, column: string) {
    this.#db = db;
    this.#select = select;
    this.#column = column;
  }

  /** Returns the next row; null if there is none now. */
  async next(): Promise<Row | null> {
    if (this.#place === this.#rows.length) await this.#turn();
    const row = this.#rows[this.#place] ?? null;
    this.#place += row === null ? 0 : 1;
    this.#last = row ?? this.#last;
    return row;
  }

  /** Reads the next page. A page begins with the last row of the one before, so that another row of the same number is not missed. */
  async #turn(): Promise<void> {
    const last = this.#last?.[this.#column] ?? beginning;
    const rows = await this.#db.query(`${this.#select} LIMIT ${this.#size + 1}`, [last]);
    const isRepeated = this.#last !== null && rows[0]?.[this.#column] === last;
    this.#rows = isRepeated ? rows.slice(1) : rows;
    this.#place = 0;
    this.#size = nextSize(rows, this.#size);
  }
}

function nextSize(rows: readonly Row[], size: number): number {
  let length = 1;
  for (const row of rows) for (const name in row) length += row[name]?.length ?? 0;
  const fitting = Math.floor((size * pieceLength) / length);
  return Math.max(smallestPiece, Math.min(fitting, size * 4, biggestPiece));
}

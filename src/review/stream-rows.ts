/** Reads a long result piece by piece, so that only a piece of it is in memory. */
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
  await openCursor(tx, cursor, select, values);
  yield* fetchRows(tx, cursor);
}

/** Opens a cursor on what the transaction sees by now. */
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
 * Streams the rows of a query that gives any part of them: what functions give the server keeps for a cursor as a whole. They come in
 * pieces, for a promise for each of many rows would take more time than what is done with it.
 * @param select gives rows in the order of their `number`: those behind $1, of the kind $2 if that is not null, skipping $3, at most $4
 */
export async function* streamPages(tx: Queryable, select: string): AsyncGenerator<Row[], void> {
  yield* inPieces((size, last) => tx.query(select, [last?.['number'] ?? '0', null, 0, size]));
}

/** @param read gives the next rows, at most as many as it is told, behind the last one that it has given */
async function* inPieces(
  read: (size: number, last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[], void> {
  let size = smallestPiece;
  for (let piece: Promise<Row[]> | null = read(size, undefined); piece !== null; ) {
    const rows: Row[] = await piece;
    const more = rows.length === size;
    size = nextSize(rows, size);
    // while these are worked on, the server has the next ones ready
    piece = more ? read(size, rows.at(-1)) : null;
    piece?.catch(() => undefined);
    yield rows;
  }
}

/** The least bigint. */
const beginning = '-9223372036854775808';

/**
 * Reads rows in pages, each a statement of its own: no snapshot lives longer than one of them takes. Where rows are only ever
 * added, and behind the last one, it can be asked again for those that have come meanwhile.
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
   * @param select gives rows from $1 on in the order of the column
   * @param column a bigint
   */
  constructor(db: Queryable, select: string, column: string) {
    this.#db = db;
    this.#select = select;
    this.#column = column;
  }

  /** The next row; null where there is none by now. */
  async next(): Promise<Row | null> {
    if (this.#place === this.#rows.length) await this.#turn();
    const row = this.#rows[this.#place] ?? null;
    this.#place += row === null ? 0 : 1;
    this.#last = row ?? this.#last;
    return row;
  }

  /** A page begins with the last row of the one before it: were another of the same number behind it, it would be seen. */
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

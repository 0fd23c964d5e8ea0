/**
 * Where the columns of a result come from. Results of views that stand for tables name the views: drivers look up keys and NOT NULL
 * by what is told there, and would find none. So the client is told of the tables that it wrote.
 */

import { StageError } from '../errors.ts';

/** What a RowDescription has behind a column's name: table, column's number, type, and 8 bytes more. */
const columnBytes = 18;
const numberAt = 4;
const typeAt = 6;
const headerBytes = 5;

/** What stage.result_origins says of a relation. */
export interface ResultOrigins {
  /** Its row type. */
  readonly type: number;
  /** Numbers of its columns in order, those of dropped ones left out. */
  readonly columns: readonly number[];
  /** The views that stand for it, with their row types. */
  readonly views: readonly (readonly [view: number, type: number])[];
}

interface Origin {
  readonly table: number;
  /** Numbers of the table's columns, by the order of the view's. */
  readonly columns: readonly number[];
}

export class ColumnOrigins {
  readonly #views = new Map<number, Origin>();
  readonly #types = new Map<number, number>();

  /** Notes the views that stand for a relation. Those of before stay: a statement may have been prepared on them. */
  learn(table: number, { type, columns, views }: ResultOrigins): void {
    for (const [view, viewType] of views) {
      this.#views.set(view, { table, columns });
      this.#types.set(viewType, type);
    }
  }

  /**
   * Gives a RowDescription as the client is shown it: the same one where nothing in it comes from such a view.
   * @throws StageError `protocol_violation` when it is not whole
   */
  shown(frame: Buffer): Buffer {
    if (this.#views.size === 0) return frame;
    let told = frame;
    for (const at of columnsOf(frame)) {
      const origin = this.#views.get(frame.readUInt32BE(at));
      const type = this.#types.get(frame.readUInt32BE(at + typeAt));
      if (told === frame && (origin !== undefined || type !== undefined)) told = Buffer.from(frame);
      if (origin !== undefined) {
        told.writeUInt32BE(origin.table, at);
        told.writeInt16BE(origin.columns[frame.readInt16BE(at + numberAt) - 1] ?? 0, at + numberAt);
      }
      if (type !== undefined) told.writeUInt32BE(type, at + typeAt);
    }
    return told;
  }
}

/** Where what is said of each column begins behind its name. */
function columnsOf(frame: Buffer): number[] {
  const places: number[] = [];
  let at = headerBytes + 2;
  while (at < frame.length) {
    const end = frame.indexOf(0, at);
    if (end < 0 || end + 1 + columnBytes > frame.length) {
      // guard: the description of a row is whole
      throw new StageError('protocol_violation', 'a RowDescription is not whole');
    }
    places.push(end + 1);
    at = end + 1 + columnBytes;
  }
  return places;
}

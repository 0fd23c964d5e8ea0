/**
 * Maps the origins of result columns. In results of overlays the server reports the overlays as origins, for which drivers find no keys and
 * no NOT NULL constraints. So the client receives the tables that it named.
 */

import { StageError } from '../errors.ts';

/** The length of the fields behind a column's name in a RowDescription: table, column number, type, and 8 more bytes. */
const columnBytes = 18;
const numberAt = 4;
const typeAt = 6;
const headerBytes = 5;

/** The facts that stage.result_origins returns of a relation. */
export interface ResultOrigins {
  /** The OIDs of its row type, and of arrays of that. */
  readonly types: readonly [row: number, array: number];
  /** The numbers of its columns, in order, without dropped ones. */
  readonly columns: readonly number[];
  /** The views that stand for it, with the same types of each. */
  readonly views: readonly (readonly [view: number, row: number, array: number])[];
}

interface Origin {
  readonly table: number;
  /** The numbers of the table's columns, in the order of the view's columns. */
  readonly columns: readonly number[];
}

export class ColumnOrigins {
  readonly #views = new Map<number, Origin>();
  readonly #types = new Map<number, number>();

  /** Adds the views that stand for a relation. Earlier ones remain, because prepared statements may still use them. */
  learn(table: number, { types, columns, views }: ResultOrigins): void {
    for (const [view, row, array] of views) {
      this.#views.set(view, { table, columns });
      this.#types.set(row, types[0]);
      this.#types.set(array, types[1]);
    }
  }

  /**
   * Returns the client's version of a RowDescription; the same buffer when nothing in it comes from such a view.
   * @throws StageError `protocol_violation` when it is incomplete
   */
  shown(frame: Buffer): Buffer {
    if (this.#views.size === 0) return frame;
    let changed = frame;
    for (const at of columnsOf(frame)) {
      const origin = this.#views.get(frame.readUInt32BE(at));
      const type = this.#types.get(frame.readUInt32BE(at + typeAt));
      if (changed === frame && (origin !== undefined || type !== undefined))
        changed = Buffer.from(frame);
      if (origin !== undefined) {
        changed.writeUInt32BE(origin.table, at);
        changed.writeInt16BE(
          origin.columns[frame.readInt16BE(at + numberAt) - 1] ?? 0,
          at + numberAt,
        );
      }
      if (type !== undefined) changed.writeUInt32BE(type, at + typeAt);
    }
    return changed;
  }
}

/** Returns the offsets of the fields behind each column's name. */
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

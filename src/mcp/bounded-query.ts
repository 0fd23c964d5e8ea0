/** A statement whose result is read up to a limit, whatever it would give. */
import pg from 'pg';
import type { JsonValue } from '../model/json.ts';

export interface BoundedStatement {
  readonly sql: string;
  readonly params: readonly (string | number | boolean | null)[];
  readonly maxRows: number;
  /** Refuses writes, and ends as soon as enough was read. */
  readonly readOnly: boolean;
}

export interface StatementResult {
  /** `INSERT`, `SELECT` and so on; null where the result was cut off before it was told. */
  readonly command: string | null;
  /** Rows that were changed or read; null where that is not known. */
  readonly affected: number | null;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly JsonValue[])[];
  readonly truncated: boolean;
}

/** Beyond so many characters of rows nothing more is kept. */
const maxKept = 100_000;
/** A longer value is cut. */
const maxValue = 20_000;

/** Types whose texts JSON can hold as they are, unrounded: boolean, smallint, integer, oid. */
const parsers = new Map<number, (text: string) => JsonValue>([
  [16, (text) => text === 't'],
  [21, Number],
  [23, Number],
  [26, Number],
]);
const types = { getTypeParser: (oid: number) => parsers.get(oid) ?? ((text: string) => text) };

/** What pg hands to a query that takes part in the conversation. */
interface Wire {
  sync(): void;
}

/** Leaves what is behind the limit of rows where it is; pg by itself would fetch it, too. */
class FirstRows extends pg.Query<JsonValue[]> {
  handlePortalSuspended(wire: Wire): void {
    wire.sync();
  }
}

interface Ended {
  readonly command: string | null;
  readonly rowCount: number | null;
  readonly fields: readonly { readonly name: string }[];
}

/** Runs a statement on a connection that is used for nothing else. */
export function readBounded(
  client: pg.Client,
  statement: BoundedStatement,
): Promise<StatementResult> {
  const { sql, params, maxRows, readOnly } = statement;
  const query = new FirstRows({
    text: sql,
    values: [...params],
    rowMode: 'array',
    types,
    // the extended protocol takes one statement and no more
    queryMode: 'extended',
    // one row more than asked for tells whether there are more; what writes has to run to its end
    ...(readOnly ? { rows: maxRows + 1 } : {}),
  } as unknown as pg.QueryArrayConfig);
  const rows: JsonValue[][] = [];
  let kept = 0;
  let truncated = false;
  return new Promise((resolve, reject) => {
    const finish = ({ command, rowCount, fields }: Ended) => {
      const affected = truncated && readOnly ? null : rowCount;
      const columns = fields.map(({ name }) => name);
      resolve({ command, affected, columns, rows, truncated });
    };
    query.on('row', (row, result) => {
      const [values, length, wasCut] = cutValues(row);
      const isFull = rows.length === maxRows || kept + length > maxKept;
      if (isFull || wasCut) truncated = true;
      if (!isFull) rows.push(values);
      kept += length;
      if (isFull && readOnly && result)
        finish({ command: null, rowCount: null, fields: result.fields });
    });
    query.on('end', (result) => finish(result));
    query.on('error', reject);
    client.query(query);
  });
}

/** Cuts values that are too long; gives the row, how many characters it has, and whether any was cut. */
function cutValues(row: readonly JsonValue[]): [JsonValue[], number, boolean] {
  let length = 0;
  let wasCut = false;
  const values = row.map((value) => {
    if (typeof value !== 'string') {
      length += 5;
      return value;
    }
    const isLong = value.length > maxValue;
    wasCut ||= isLong;
    const shown = isLong ? `${value.slice(0, maxValue)} [cut: ${value.length} characters]` : value;
    length += shown.length;
    return shown;
  });
  return [values, length, wasCut];
}

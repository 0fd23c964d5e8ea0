/** Runs a statement and reads its result up to a limit, however large it is. */
import pg from 'pg';
import type { JsonValue } from '../model/json.ts';

export interface BoundedStatement {
  readonly sql: string;
  readonly params: readonly (string | number | boolean | null)[];
  readonly maxRows: number;
  /** Whether the statement must only read. Reading then ends at the limit. */
  readonly readOnly: boolean;
}

export interface StatementResult {
  /** `INSERT`, `SELECT` and so on; null if the result was cut off before the command tag. */
  readonly command: string | null;
  /** The number of rows changed or read; null if it is unknown. */
  readonly affected: number | null;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly JsonValue[])[];
  readonly truncated: boolean;
}

/** The maximum number of characters of rows that are returned. */
const maxBuffered = 100_000;
/** The length beyond which a value is cut, in characters. */
const maxValue = 20_000;

/** Parsers of the types that JSON can represent exactly: boolean, smallint, integer, oid. All other values remain text. */
const parsers = new Map<number, (text: string) => JsonValue>([
  [16, (text) => text === 't'],
  [21, Number],
  [23, Number],
  [26, Number],
]);
const types = { getTypeParser: (oid: number) => parsers.get(oid) ?? ((text: string) => text) };

/** The connection that pg passes to the handlers of a query. */
interface Wire {
  sync(): void;
}

/** A query that leaves the rows beyond the limit at the server. The query of pg would fetch them. */
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
    // the extended protocol accepts only one statement
    queryMode: 'extended',
    // one row more than the limit shows whether there are more; a write has to run to its end
    ...(readOnly ? { rows: maxRows + 1 } : {}),
  } as unknown as pg.QueryArrayConfig);
  const rows: JsonValue[][] = [];
  let buffered = 0;
  let truncated = false;
  return new Promise((resolve, reject) => {
    const finish = ({ command, rowCount, fields }: Ended) => {
      const affected = truncated && readOnly ? null : rowCount;
      const columns = fields.map(({ name }) => name);
      resolve({ command, affected, columns, rows, truncated });
    };
    query.on('row', (row, result) => {
      const [values, length, wasCut] = cutValues(row);
      const isFull = rows.length === maxRows || buffered + length > maxBuffered;
      if (isFull || wasCut) truncated = true;
      if (!isFull) rows.push(values);
      buffered += length;
      if (isFull && readOnly && result)
        finish({ command: null, rowCount: null, fields: result.fields });
    });
    query.on('end', (result) => finish(result));
    query.on('error', reject);
    client.query(query);
  });
}

/** Cuts values that are too long. Returns the row, its length in characters, and whether a value was cut. */
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

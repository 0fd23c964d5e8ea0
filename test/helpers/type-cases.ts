/** Runs type cases twice in one database: staged through the proxy on schema public, and directly on its twin schema. */
import pg from 'pg';
import { bindMessage } from '../../src/wire/frontend-messages.ts';
import { backend } from '../../src/wire/message-codes.ts';
import type { TestDaemon } from './daemon.ts';
import type { TestDatabase } from './database.ts';
import type { Column, TypeTable } from './type-tables.ts';
import { literalOf, rowCount, valueAt } from './type-tables.ts';
import { connectWire, e, p, s } from './wire-script.ts';

/** A statement with parameters: a string is sent as text, a Buffer in binary. */
interface Statement {
  readonly text: string;
  readonly values?: readonly (string | number | Buffer | null)[];
}

/** Both sides of a comparison, and the differences found. */
export interface Comparison {
  readonly daemon: TestDaemon;
  readonly staged: pg.Client;
  readonly direct: pg.Client;
  readonly stagedUrl: string;
  readonly directUrl: string;
  readonly differences: string[];
}

const raw = { getTypeParser: () => (value: string) => value };

/** Returns the URL of direct connections, which find the twin's tables. */
export function twinUrl(database: TestDatabase): string {
  const options = '-c search_path=direct,public -c TimeZone=UTC';
  return `${database.url}?options=${encodeURIComponent(options)}`;
}

/** Connects a client that does not parse values. */
export async function connectRaw(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    types: raw as unknown as pg.CustomTypesConfig,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Stages every case of a table and runs it directly, statement by statement. */
export async function runTable(comparison: Comparison, table: TypeTable): Promise<void> {
  const sent = table.isKey ? [] : await binaries(comparison, table);
  const statements = table.isKey ? keyStatements(table) : plainStatements(table, sent);
  for (const statement of statements) {
    const { isRefused } = await compareStatement(comparison, statement);
    // What both sides refuse would hide the other columns.
    if (isRefused && !table.isKey) comparison.differences.push(`refused: ${statement.text}`);
  }
  for (const statement of refusals(table)) await compareStatement(comparison, statement);
}

/** A value as it is sent: the bytes, or the text if PostgreSQL does not receive the bytes. */
type Sent = Buffer | string | null;

/** Returns each seed value in binary, row by row. Compares the statements whose bytes PostgreSQL refuses. */
async function binaries(comparison: Comparison, table: TypeTable): Promise<Sent[][]> {
  const { name, columns } = table;
  const sent = columns.map((column) => `encode(record_send(ROW(${column.name})), 'hex')`);
  const { rows } = await comparison.direct.query<{ sent: string }>(
    `SELECT json_build_array(${sent.join(', ')})::text AS sent FROM ${name} WHERE id < 100 ORDER BY id`,
  );
  const all: Sent[][] = [];
  for (const [at, row] of rows.entries()) {
    const records: string[] = JSON.parse(row.sent);
    const values: Sent[] = [];
    for (const [index, column] of columns.entries()) {
      const bytes = valueBytes(records[index] ?? '');
      const text = `UPDATE ${name} SET ${column.name} = $1 WHERE id = -1`;
      const refused = isRefusal(await outcome(comparison.direct, { text, values: [bytes] }));
      if (refused) await compareStatement(comparison, { text, values: [bytes] });
      values.push(refused ? valueAt(column, at) : bytes);
    }
    all.push(values);
  }
  return all;
}

/** Returns the bytes of the only value of a record. */
function valueBytes(record: string): Buffer | null {
  const bytes = Buffer.from(record, 'hex');
  // Number of columns, type, length.
  return bytes.readInt32BE(8) === -1 ? null : bytes.subarray(12);
}

function plainStatements(table: TypeTable, sent: readonly (readonly Sent[])[]): Statement[] {
  const { name, columns } = table;
  const list = (write: (column: Column, at: number) => string) => columns.map(write).join(', ');
  const names = list((column) => column.name);
  const marks = list((_, at) => `$${at + 1}`);
  const assigned = list((column, at) => `${column.name} = $${at + 1}`);
  const same = list((column) => `${column.name} = ${column.name}`);
  const count = rowCount(table);
  return Array.from({ length: count }, (_, at): Statement[] => {
    const next = (at + 1) % count;
    const valuesOf = (row: number) => columns.map((column) => valueAt(column, row));
    const literals = list((column) => literalOf(valueAt(column, at)));
    return [
      {
        text: `INSERT INTO ${name} VALUES (${200 + at}, ${marks}) RETURNING ${names}`,
        values: valuesOf(at),
      },
      {
        text: `INSERT INTO ${name} VALUES (${300 + at}, ${marks}) RETURNING ${names}`,
        values: sent[at] ?? [],
      },
      { text: `INSERT INTO ${name} (${names}, id) VALUES (${literals}, ${400 + at}) RETURNING *` },
      {
        text: `UPDATE ${name} SET ${assigned} WHERE id = ${at} RETURNING ${names}`,
        values: valuesOf(next),
      },
      {
        text: `UPDATE ${name} SET ${assigned} WHERE id = $${columns.length + 1} RETURNING ${names}`,
        values: [...(sent[next] ?? []), String(200 + at)],
      },
      { text: `UPDATE ${name} SET ${same} WHERE id = ${300 + at}` },
      { text: `DELETE FROM ${name} WHERE id = ${100 + at} RETURNING ${names}` },
    ];
  }).flat();
}

function keyStatements({ name, columns }: TypeTable): Statement[] {
  const values = columns.flatMap((column) => column.values);
  return values.flatMap((value, at) => {
    const next = values[(at + 1) % values.length] ?? null;
    return [
      { text: `INSERT INTO ${name} VALUES ($1, 2) RETURNING *`, values: [value] },
      { text: `UPDATE ${name} SET n = n + 1 WHERE v = $1 RETURNING *`, values: [value] },
      { text: `UPDATE ${name} SET v = $1 WHERE v = $2 RETURNING *`, values: [next, value] },
      { text: `UPDATE ${name} SET v = $1, n = n + 1 WHERE v = $1 RETURNING *`, values: [value] },
      { text: `DELETE FROM ${name} WHERE v = $1 RETURNING *`, values: [value] },
      {
        text: `INSERT INTO ${name} VALUES ($1, 7) ON CONFLICT (v) DO UPDATE SET n = ${name}.n + 10 RETURNING *`,
        values: [value],
      },
    ];
  });
}

/** Returns statements that write one refused text, with values of the other columns that are not refused. */
function refusals({ name, columns, isKey }: TypeTable): Statement[] {
  const others = (wrong: Column) => columns.filter((column) => column !== wrong);
  const given = (column: Column) =>
    literalOf(column.values.find((value) => value !== null) ?? null);
  const rest = (wrong: Column) =>
    isKey
      ? { names: 'n', values: '0' }
      : {
          names: ['id', ...others(wrong).map((column) => column.name)].join(', '),
          values: ['900', ...others(wrong).map(given)].join(', '),
        };
  return columns.flatMap((wrong) => {
    const { names, values } = rest(wrong);
    const insert = (value: string) =>
      `INSERT INTO ${name} (${names}, ${wrong.name}) VALUES (${values}, ${value})`;
    return (wrong.refused ?? []).flatMap((text) => [
      { text: insert('$1'), values: [text] },
      { text: insert(pg.escapeLiteral(text)) },
      {
        text: `UPDATE ${name} SET ${wrong.name} = $1 WHERE ${isKey ? 'n' : 'id'} = 0`,
        values: [text],
      },
    ]);
  });
}

/** Runs a statement on both sides, and notes what differs. Tells whether PostgreSQL refuses the statement. */
async function compareStatement(
  comparison: Comparison,
  statement: Statement,
): Promise<{ readonly isRefused: boolean }> {
  const [staged, direct] = await Promise.all([
    outcome(comparison.staged, statement),
    outcome(comparison.direct, statement),
  ]);
  const isRefused = isRefusal(direct);
  if (staged === direct) return { isRefused };
  const shown = statement.values?.map((value) =>
    Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value,
  );
  comparison.differences.push(
    `${statement.text} ${JSON.stringify(shown)}: ${staged} instead of ${direct}`,
  );
  return { isRefused };
}

async function outcome(client: pg.Client, { text, values }: Statement): Promise<string> {
  try {
    const query = { text, rowMode: 'array' as const, ...(values ? { values: [...values] } : {}) };
    const { command, rowCount, rows } = await client.query(query);
    return JSON.stringify([command, rowCount, rows]);
  } catch (error) {
    const { code, message, detail, hint, column, constraint, dataType } = error as pg.DatabaseError;
    return JSON.stringify({ code, message, detail, hint, column, constraint, dataType });
  }
}

/** Whether an outcome is an error: an object, where an answer is a list. */
const isRefusal = (outcome: string) => outcome.startsWith('{');

/** Returns the images of the inserted rows, as a diff must show them. */
export async function insertedImages(
  client: pg.Client,
  tables: readonly TypeTable[],
): Promise<string[]> {
  const images: string[] = [];
  for (const { name } of tables.filter(({ showsImages }) => showsImages)) {
    const { rows } = await client.query(
      `SELECT to_jsonb(x)::text AS image FROM ${name} x WHERE id >= 200`,
    );
    images.push(...rows.map(({ image }) => image));
  }
  return images;
}

/** Returns the rows of some tables as they arrive in results: as text, then in binary. */
export async function contentsOf(url: string, tables: readonly TypeTable[]): Promise<string[]> {
  const client = await connectWire(url);
  try {
    const heard: string[] = [];
    for (const { name } of tables) {
      for (const format of [0, 1]) {
        const bind = {
          portal: '',
          statement: '',
          values: [],
          formats: [],
          resultFormats: [format],
        };
        client.send(p(`SELECT * FROM ${name}`), bindMessage(bind), e(), s);
        const answers = await client.readTo(backend.readyForQuery);
        const rows = answers
          .filter(({ type }) => type === backend.dataRow)
          .map(({ payload }) => payload);
        heard.push(
          ...rows.map((row) => `${name} ${row.toString(format === 0 ? 'utf8' : 'hex')}`).sort(),
        );
      }
    }
    return heard;
  } finally {
    client.close();
  }
}

/** Runs type cases twice in one database: staged through the proxy on schema public, and directly on its twin schema. */
import pg from 'pg';
import { bindMessage } from '../../src/wire/frontend-messages.ts';
import { backend } from '../../src/wire/message-codes.ts';
import type { Family, Subject } from '../e2e/types/family.ts';
import type { TestDaemon } from './daemon.ts';
import type { TestDatabase } from './database.ts';
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

export const tableOf = (index: number) => `t${index}`;

/** Returns the tables of the subjects, with the rows that their statements change and delete, in both schemas. */
export function tablesOf({ subjects }: Family): string {
  const tables = subjects.flatMap((subject, index) =>
    ['public', 'direct'].map((schema) => createTable(`${schema}.${tableOf(index)}`, subject)),
  );
  return ['CREATE SCHEMA direct;', ...tables].join('\n');
}

function createTable(table: string, { type, values, isKey }: Subject): string {
  const literals = values.map((value) => (value === null ? 'NULL' : pg.escapeLiteral(value)));
  if (isKey) {
    const rows = literals.slice(0, Math.ceil(literals.length / 2)).map(
      (value) => `
      INSERT INTO ${table} VALUES (${value}, 1) ON CONFLICT DO NOTHING;`,
    );
    return `CREATE TABLE ${table} (v ${type} PRIMARY KEY, n int NOT NULL);${rows.join('')}`;
  }
  const rows = literals.flatMap((value, at) => [`(${at}, ${value})`, `(${100 + at}, ${value})`]);
  return `CREATE TABLE ${table} (id int PRIMARY KEY, v ${type}); INSERT INTO ${table} VALUES ${rows.join(', ')};`;
}

/** Stages every case of a subject and runs it directly, statement by statement. */
export async function runSubject(
  comparison: Comparison,
  subject: Subject,
  table: string,
): Promise<void> {
  const statements = subject.isKey
    ? keyStatements(subject, table)
    : plainStatements(subject, table, await binaries(comparison.direct, table));
  for (const statement of [...statements, ...refusals(subject, table)]) {
    await compareStatement(comparison, statement, subject.type);
  }
}

/** Returns the bytes of each seed value. */
async function binaries(client: pg.Client, table: string): Promise<(Buffer | null)[]> {
  const { rows } = await client.query(
    `SELECT encode(record_send(ROW(v)), 'hex') AS sent FROM ${table} WHERE id < 100 ORDER BY id`,
  );
  return rows.map(({ sent }) => {
    const bytes = Buffer.from(sent, 'hex');
    // Number of columns, type, length.
    return bytes.readInt32BE(8) === -1 ? null : bytes.subarray(12);
  });
}

function plainStatements(
  { values }: Subject,
  table: string,
  sent: readonly (Buffer | null)[],
): Statement[] {
  return values.flatMap((value, at) => {
    const next = (at + 1) % values.length;
    const nextValue = values[next] ?? null;
    const literal = value === null ? 'NULL' : pg.escapeLiteral(value);
    return [
      { text: `INSERT INTO ${table} VALUES (${200 + at}, $1) RETURNING v`, values: [value] },
      {
        text: `INSERT INTO ${table} VALUES (${300 + at}, $1) RETURNING v`,
        values: [sent[at] ?? null],
      },
      { text: `INSERT INTO ${table} (v, id) VALUES (${literal}, ${400 + at}) RETURNING *` },
      { text: `UPDATE ${table} SET v = $1 WHERE id = ${at} RETURNING v`, values: [nextValue] },
      {
        text: `UPDATE ${table} SET v = $1 WHERE id = $2 RETURNING v`,
        values: [sent[next] ?? null, String(200 + at)],
      },
      { text: `UPDATE ${table} SET v = v WHERE id = ${300 + at}` },
      { text: `DELETE FROM ${table} WHERE id = ${100 + at} RETURNING v` },
    ];
  });
}

function keyStatements({ values }: Subject, table: string): Statement[] {
  return values.flatMap((value, at) => {
    const next = values[(at + 1) % values.length] ?? null;
    return [
      { text: `INSERT INTO ${table} VALUES ($1, 2) RETURNING *`, values: [value] },
      { text: `UPDATE ${table} SET n = n + 1 WHERE v = $1 RETURNING *`, values: [value] },
      { text: `UPDATE ${table} SET v = $1 WHERE v = $2 RETURNING *`, values: [next, value] },
      { text: `UPDATE ${table} SET v = $1, n = n + 1 WHERE v = $1 RETURNING *`, values: [value] },
      { text: `DELETE FROM ${table} WHERE v = $1 RETURNING *`, values: [value] },
      {
        text: `INSERT INTO ${table} VALUES ($1, 7) ON CONFLICT (v) DO UPDATE SET n = ${table}.n + 10 RETURNING *`,
        values: [value],
      },
    ];
  });
}

function refusals({ refused = [], isKey }: Subject, table: string): Statement[] {
  const [row, set] = isKey ? ['($1, 0)', 'n = 0'] : ['(900, $1)', 'id = 0'];
  return refused.flatMap((value) => [
    { text: `INSERT INTO ${table} VALUES ${row}`, values: [value] },
    { text: `INSERT INTO ${table} VALUES ${row.replace('$1', pg.escapeLiteral(value))}` },
    { text: `UPDATE ${table} SET v = $1 WHERE ${set}`, values: [value] },
  ]);
}

async function compareStatement(
  comparison: Comparison,
  statement: Statement,
  type: string,
): Promise<void> {
  const [staged, direct] = await Promise.all(
    [comparison.staged, comparison.direct].map((client) => outcome(client, statement)),
  );
  if (staged === direct) return;
  const shown = statement.values?.map((value) =>
    Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value,
  );
  comparison.differences.push(
    `${type}: ${statement.text} ${JSON.stringify(shown)}: ${staged} instead of ${direct}`,
  );
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

/** Returns the images of the inserted rows, as a diff must show them. It shows others too, of keyed tables and of json. */
export async function insertedImages(client: pg.Client, { subjects }: Family): Promise<string[]> {
  const images: string[] = [];
  for (const [index, { type, isKey }] of subjects.entries()) {
    if (isKey || type.startsWith('json')) continue;
    const { rows } = await client.query(
      `SELECT to_jsonb(x)::text AS image FROM ${tableOf(index)} x WHERE id >= 200`,
    );
    images.push(...rows.map(({ image }) => image));
  }
  return images;
}

/** Returns the rows of some tables as they arrive in results: as text, then in binary. */
export async function contentsOf(url: string, tables: readonly string[]): Promise<string[]> {
  const client = await connectWire(url);
  try {
    const heard: string[] = [];
    for (const table of tables) {
      for (const format of [0, 1]) {
        const bind = {
          portal: '',
          statement: '',
          values: [],
          formats: [],
          resultFormats: [format],
        };
        client.send(p(`SELECT * FROM ${table}`), bindMessage(bind), e(), s);
        const answers = await client.readTo(backend.readyForQuery);
        const rows = answers
          .filter(({ type }) => type === backend.dataRow)
          .map(({ payload }) => payload);
        heard.push(
          ...rows.map((row) => `${table} ${row.toString(format === 0 ? 'utf8' : 'hex')}`).sort(),
        );
      }
    }
    return heard;
  } finally {
    client.close();
  }
}

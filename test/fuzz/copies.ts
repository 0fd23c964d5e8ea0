/** Random COPY FROM STDIN, in every format, and COPY TO STDOUT. */
import type { Random } from '../helpers/random.ts';
import { condition, ordering } from './expressions.ts';
import type { Column, Schema, Table } from './schema.ts';
import { draws } from './schema.ts';
import type { Statement } from './statement.ts';
import { createWriter, list, plainStatement, some } from './statement.ts';

type Row = readonly (string | null)[];

interface Format {
  readonly options: string;
  readonly head: Buffer | null;
  line(row: Row, columns: readonly Column[]): Buffer;
  readonly end: Buffer | null;
}

const textFormat: Format = {
  options: '',
  head: null,
  line: (row) => {
    const field = (value: string | null) =>
      value === null ? '\\N' : value.replaceAll('\\', '\\\\').replaceAll('\t', '\\t');
    return Buffer.from(`${row.map(field).join('\t')}\n`);
  },
  end: null,
};

const csvFormat: Format = {
  options: ' WITH (FORMAT csv, HEADER)',
  head: Buffer.from('a heading\n'),
  line: (row) => {
    const field = (value: string | null) =>
      value === null ? '' : `"${value.replaceAll('"', '""')}"`;
    return Buffer.from(`${row.map(field).join(',')}\n`);
  },
  end: null,
};

const binaryFormat: Format = {
  options: ' (FORMAT binary)',
  head: Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]),
  line: (row, columns) => {
    const count = Buffer.alloc(2);
    count.writeInt16BE(row.length);
    const fields = row.map((value, at) => {
      const bytes = value === null ? null : (columns[at]?.type.binary?.(value) ?? Buffer.alloc(0));
      const length = Buffer.alloc(4);
      length.writeInt32BE(bytes?.length ?? -1);
      return Buffer.concat([length, bytes ?? Buffer.alloc(0)]);
    });
    return Buffer.concat([count, ...fields]);
  },
  end: Buffer.from([0xff, 0xff]),
};

/** Rows for one of the tables; now and then broken off half way, or with a line that is wrong. */
export function copyIn(random: Random, { tables }: Schema): Statement {
  const table = random.pick(tables);
  const columns = filledColumns(random, table);
  const isBinary = columns.every(({ type }) => type.binary) && random.chance(0.7);
  const format = isBinary ? binaryFormat : random.pick([textFormat, textFormat, csvFormat]);
  const row = () =>
    columns.map(({ type, refers }) =>
      random.chance(refers ? 0.3 : 0.08) ? null : random.pick(type.values),
    );
  // a COPY draws the keys of a whole batch before its first row can fail, so that other keys follow
  const drawing = table.columns.some(draws);
  const lines = Array.from({ length: drawing ? 1 : 1 + random.below(3) }, () =>
    format.line(row(), columns),
  );
  const isWrong = random.chance(0.05) && (!drawing || columns.length > 1);
  const wrong = isWrong ? [Buffer.from('"too few')] : [];
  const pieces = [format.head, ...lines, ...wrong, format.end].filter((piece) => piece !== null);
  const isBrokenOff = random.chance(0.05);
  return {
    ...plainStatement(`COPY ${table.name} (${list(columns)}) FROM STDIN${format.options}`),
    // PostgreSQL looks at the rows of a whole batch after it has read them
    compared: isBrokenOff || wrong.length > 0 ? 'any failure' : 'any violation',
    data: isBrokenOff ? [...pieces, null] : pieces,
  };
}

function filledColumns(random: Random, table: Table): Column[] {
  const columns = table.columns.filter(({ filled }) => filled === 'given');
  return random.chance(0.7) || columns.length === 0 ? columns : some(random, columns);
}

/** All rows of a table, or those of a query. */
export function copyOut(random: Random, schema: Schema, major: number): Statement {
  const table = random.pick(schema.tables);
  const where = condition(createWriter(random, schema, major, null), table);
  const format = random.pick(['', ' WITH (FORMAT csv)', ' (FORMAT binary)']);
  const query = `SELECT * FROM ${table.name} WHERE ${where} ORDER BY ${ordering(table)}`;
  return plainStatement(`COPY (${query}) TO STDOUT${format}`);
}

/** Types of columns for random schemas: values at their edges, and how an expression changes one. */

export interface ColumnType {
  /** As SQL writes it. */
  readonly name: string;
  /** Values in PostgreSQL's text form. */
  readonly values: readonly string[];
  /** Has a btree order: may be sorted by, compared, and be part of a key. */
  readonly ordered: boolean;
  /** An expression that makes another value of the type from a column. */
  readonly change: (column: string) => string;
  /** The binary form of a value, where it is simple enough to write here. */
  readonly binary?: (value: string) => Buffer;
}

type Options = Partial<Pick<ColumnType, 'ordered' | 'binary'>>;

const columnType = (
  name: string,
  values: readonly string[],
  change: (column: string) => string,
  { ordered = true, ...options }: Options = {},
): ColumnType => ({ name, values, ordered, change, ...options });

const int32 = (value: string) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(Number(value));
  return bytes;
};
const int64 = (value: string) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
};
const float64 = (value: string) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(Number(value));
  return bytes;
};
const utf8 = (value: string) => Buffer.from(value);
const hex = (value: string) => Buffer.from(value.replaceAll(/\\x|-/g, ''), 'hex');

const count = (last: number) => Array.from({ length: last }, (_, index) => String(index + 1));
const uuid = (value: string) => `00000000-0000-4000-8000-${value.padStart(12, '0')}`;

/** Types of keys: few values, so that rows meet. */
export const keyTypes = {
  int: columnType('integer', count(14), (c) => `${c} + 1`, { binary: int32 }),
  bigint: columnType('bigint', count(14), (c) => `${c} + 1`, { binary: int64 }),
  text: columnType('text', ['a', 'b', 'B', 'c c', "d'd", 'é', ''], (c) => `${c} || 'x'`, {
    binary: utf8,
  }),
  uuid: columnType('uuid', count(9).map(uuid), (c) => `md5(${c}::text)::uuid`, { binary: hex }),
  date: columnType('date', ['2024-02-29', '1999-12-31', 'infinity'], (c) => `${c} + 1`),
} as const;

/** The types that `typeDefinitions` creates, and PostgreSQL's own. */
export const valueTypes: readonly ColumnType[] = [
  keyTypes.int,
  keyTypes.text,
  keyTypes.uuid,
  keyTypes.date,
  columnType('smallint', ['0', '-32768', '7'], (c) => `(${c} / 2)::smallint`),
  columnType('bigint', ['9007199254740993', '-1', '0'], (c) => `${c} - 1`, { binary: int64 }),
  columnType('numeric(10,2)', ['0.10', '-12345678.90', '7'], (c) => `${c} * 1.5`),
  columnType('numeric', ['1e20', '0.000000000000000000001', 'NaN'], (c) => `${c} + 0.1`),
  columnType('real', ['0.1', '-1e30', 'Infinity'], (c) => `${c} + 1`),
  columnType('double precision', ['0.1', '1e-300', '-0', 'NaN'], (c) => `${c} * 1.1`, {
    binary: float64,
  }),
  columnType('varchar(8)', ['short', '', 'ünï'], (c) => `${c} || 'y'`, { binary: utf8 }),
  columnType('char(5)', ['ab', 'abcde', ''], (c) => `left(${c}, 2)`),
  columnType('boolean', ['true', 'false'], (c) => `NOT ${c}`, {
    binary: (value) => Buffer.from([value === 'true' ? 1 : 0]),
  }),
  columnType(
    'timestamp(3)',
    ['2024-01-01 00:00:00.1236', '-infinity'],
    (c) => `${c} + interval '1 day'`,
  ),
  columnType(
    'timestamptz',
    ['2024-03-31 02:30:00.123456+01', '0044-03-15 12:00:00+00 BC'],
    (c) => `${c} - interval '1 month'`,
  ),
  columnType('interval', ['1 mon -3 days 04:05:06', '0'], (c) => `${c} * 2`),
  columnType('bytea', ['\\x', '\\x00ff10'], (c) => `${c} || '\\x01'::bytea`, { binary: hex }),
  columnType('jsonb', ['{"a": [1, null]}', '"x"', '{}'], (c) => `${c} || '{"more": 1}'`),
  columnType('json', ['{"b":1, "b":2}', '[ ]'], (c) => `json_build_array(${c})`, {
    ordered: false,
  }),
  columnType('text[]', ['{}', '{a,NULL,"b c"}', '[0:1]={x,y}'], (c) => `${c} || 'more'::text`),
  columnType('integer[]', ['{1,2}', '{{1},{2}}'], (c) => `${c}[1:1]`),
  columnType('mood', ['sad', 'ok', 'happy'], (c) => `(enum_range(${c}, NULL))[1]`),
  columnType('positive', ['1', '2', '1000'], (c) => `${c} - 1`),
  columnType('pair', ['(1,x)', '(,"y z")'], (c) => `ROW((${c}).x + 1, (${c}).y)::pair`),
  columnType('int4range', ['[1,5)', 'empty', '[3,)'], (c) => `${c} * '[2,9)'`),
  columnType('datemultirange', ['{}', '{[2024-01-01,2024-02-01)}'], (c) => `${c} - ${c}`),
  columnType('inet', ['10.0.0.1', '::1/64'], (c) => `${c} + 1`),
  columnType('varbit', ['101', ''], (c) => `${c} || B'1'`),
  columnType('point', ['(1,2)', '(-0.5,1e10)'], (c) => `${c} + point '(1,1)'`, { ordered: false }),
  columnType('tsvector', ["'a' 'b':2A"], (c) => `strip(${c})`),
  columnType('money', ['12.34', '-0.01'], (c) => `${c} * 2`),
  columnType('bit(3)', ['101', '000'], (c) => `~ ${c}`),
  columnType('time', ['24:00:00', '00:00:00.000001'], (c) => `${c} + interval '1 hour'`),
  columnType('timetz', ['12:00:00+14', '04:05:06-08'], (c) => `${c} + interval '90 minutes'`),
  columnType('tstzrange', ['empty', '[2024-01-01 00:00+00,infinity)'], (c) => `${c} + ${c}`),
  columnType('macaddr', ['08:00:2b:01:02:03'], (c) => `~ ${c}`),
  columnType('"char"', ['x', ''], (c) => `upper(${c}::text)::"char"`),
  columnType('oid', ['0', '4294967295'], (c) => `${c}::text::oid`),
  columnType('name', ['pg', 'Ünï'], (c) => `(${c}::text || 'x')::name`),
  columnType('mood[]', ['{}', '{sad,NULL}'], (c) => `${c} || 'ok'::mood`),
  columnType('pair[]', ['{}', '{"(1,x)","(,)"}'], (c) => `${c}[1:1]`),
  columnType('jsonpath', ['$.a[*]', 'strict $'], (c) => `${c}::text::jsonpath`, { ordered: false }),
  columnType('box', ['(1,1),(0,0)', '(2,0.5),(0,0)'], (c) => `${c} + point '(1,1)'`, {
    ordered: false,
  }),
  columnType('tsquery', ["'a' & !'b'"], (c) => `!! ${c}`),
  columnType('text COLLATE "C"', ['a', 'B', 'é'], (c) => `lower(${c})`, { binary: utf8 }),
];

export const typeDefinitions = [
  `CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')`,
  'CREATE DOMAIN positive AS integer CHECK (VALUE > 0)',
  'CREATE TYPE pair AS (x integer, y text)',
] as const;

/** A quoted SQL literal. */
export const literal = (value: string | null): string =>
  value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`;

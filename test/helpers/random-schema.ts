/**
 * Draws tables as applications have them, and unusual ones: types of contrib, enums, domains over composites over arrays, ranges,
 * collations, generated and identity columns, partitions, inheritance, foreign keys, quoted and long names, tables without a key.
 */
import type { Random } from './random.ts';
import type { Words } from './random-surroundings.ts';

interface Column {
  readonly name: string;
  /** The type with collation and constraints. */
  readonly definition: string;
  /** Expressions of the type; empty for generated and identity columns, which take no values. */
  readonly values: readonly string[];
}

export interface DrawnTable {
  readonly name: string;
  readonly create: string;
  /** The columns of the key; empty without one. */
  readonly key: readonly string[];
  readonly columns: readonly Column[];
  /** Whether a table inherits from it. */
  readonly hasChildren: boolean;
}

/** A type with some of its values, as literals without quotes. */
type Type = readonly [name: string, ...values: string[]];

const types: readonly Type[] = [
  ['int', '0', '-7', '2147483647'],
  ['numeric(12,3)', '0', '1.5', '-99.125', 'NaN'],
  ['float8', '0', '-0', '1e-300', 'Infinity', '0.30000000000000004'],
  ['text', '', 'a', "it's", '=1+1', 'Ünï"\\'],
  ['text COLLATE "C"', 'B', 'a', ''],
  ['varchar(5)', 'abc', '', ' x '],
  ['char(4)', 'ab', 'abcd', ''],
  ['"char"', 'a', ''],
  ['name', 'n', ''],
  ['boolean', 'true', 'false'],
  ['bytea', '\\x', '\\x00ff27'],
  ['date', '2024-02-29', 'infinity', '0044-03-15 BC'],
  ['timestamptz', '2024-02-29 23:59:59.123456+05:30', '-infinity'],
  ['timetz', '04:05:06.789+02', '24:00:00-3'],
  ['interval', '-1 years -2 mons +3 days', '0', '01:02:03.5'],
  ['uuid', '00000000-0000-0000-0000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['jsonb', 'null', '{"a": [1, "x"]}', '1'],
  ['json', 'null', '{"a":1, "a":  2}', '[]'],
  ['xml', '<a>b</a>', '<c/>'],
  ['inet', '10.0.0.1/8', '::1'],
  ['macaddr', '08:00:2b:01:02:03', '00:00:00:00:00:00'],
  ['point', '(1,2)', '(-0,0.1)'],
  ['polygon', '((0,0),(1,1),(1,0))'],
  ['bit varying(9)', '101', ''],
  ['money', '1.23', '-1000'],
  ['int4range', 'empty', '[1,5)', '(,3]'],
  ['tstzrange', '[2020-01-01,)', '(,)'],
  ['int8multirange', '{}', '{[1,3),[7,9)}'],
  ['tsvector', "'a':1 'b'", ''],
  ['int[]', '{}', '{1,NULL,3}', '[0:1]={1,2}'],
  ['text[][]', '{{a,b},{"c,d",NULL}}', '{}'],
  ['"Mood 1"', 'sad', "it's"],
  ['"Mood 1"[]', '{sad,NULL}', '{}'],
  ['positive', '1', '99'],
  ['pair', '(1,a,sad)', '(,,)', '(2,"x,y",)'],
  ['good_pair', '(1,a,sad)', '(3,,)'],
  ['pairs', '{"(1,a,sad)",NULL}', '{}'],
  ['nested', '("(1,a,sad)","{1,2}","[1,2]")', '(,,)'],
  ['spans', '[1.5,2.5)', 'empty'],
  ['citext', 'Abc', 'aBC', 'd'],
  ['hstore', '"a"=>"1", "b"=>NULL', ''],
  ['ltree', 'a.b.c', 'a'],
  ['cube', '(1,2),(3,4)', '(0)'],
];

/** The types of key columns: their operators compare all values. */
const keys: readonly Type[] = [
  ['int', '1', '2', '3', '4', '5', '6'],
  ['text', 'a', 'A', '', "it's", 'é', '%'],
  ['numeric', '1', '2.50', '-3', '1e10', '0.1', 'NaN'],
  ['uuid', ...[1, 2, 3, 4, 5, 6].map((digit) => `00000000-0000-0000-0000-00000000000${digit}`)],
  ['date', '2024-01-01', '2024-01-02', '2024-01-03', '2024-02-29', 'infinity', '0001-01-01'],
  ['positive', '1', '2', '3', '4', '5', '6'],
  ['citext', 'a', 'b', 'C', 'd', 'E', 'f'],
  ['bytea', '\\x', '\\x00', '\\xff', '\\x0001', '\\x27', '\\x5c'],
  ['int4range', '[1,2)', '[2,3)', 'empty', '[4,9)', '(,0)', '[10,)'],
  ['"Mood 1"', 'sad', 'glad', "it's", '', 'a b', 'Ü'],
];

export const sharedDefinitions = `
CREATE EXTENSION citext; CREATE EXTENSION hstore; CREATE EXTENSION ltree; CREATE EXTENSION cube; CREATE EXTENSION btree_gist;
CREATE TYPE "Mood 1" AS ENUM ('sad', 'glad', 'it''s', '', 'a b', 'Ü');
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TYPE pair AS (n int, "T t" text, m "Mood 1");
CREATE DOMAIN good_pair AS pair CHECK ((VALUE).n > 0);
CREATE DOMAIN pairs AS pair[] CHECK (cardinality(VALUE) < 9);
CREATE TYPE nested AS (p good_pair, list int[], r int4range);
CREATE TYPE spans AS RANGE (subtype = numeric);
`;

const names = [
  'v',
  'Order',
  'a"b',
  "it's",
  'x y',
  'ünï',
  'select',
  'new',
  'row_id',
  '$1',
  '%s',
  'old',
  'image',
  'key',
  'value',
  'oid2',
];
const long = 'a_name_of_sixty_three_bytes_that_begins_as_others_do_and_goes_on_';

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const literal = (value: string) => `'${value.replaceAll("'", "''")}'`;
const plain = (type: string) => type.replace(/ COLLATE.*/, '');
const typed = ([type, ...values]: Type): string[] =>
  values.map((value) => `${literal(value)}::${plain(type)}`);

/**
 * Draws a table.
 * @param parents the tables that it may refer to
 * @param words names and texts of the database's encoding
 */
export function drawTable(
  random: Random,
  number: number,
  parents: readonly DrawnTable[],
  words: Words,
): DrawnTable {
  const { chance, below, pick } = random;
  const shape = pick([
    'plain',
    'plain',
    'keyless',
    'two',
    'partitioned',
    'parent',
    'wide',
  ] as const);
  const drawName = () => pick(words.names.length > 0 && chance(0.4) ? words.names : names);
  const name = quote(chance(0.2) ? `${long.slice(0, 61)}${number}` : `${drawName()} ${number}`);
  const used = new Set<string>();
  const freeName = () => {
    const drawn = chance(0.1) ? long.slice(0, 60 + (used.size % 3)) : drawName();
    const free = used.has(drawn) ? `c${used.size}` : drawn;
    used.add(free);
    return quote(free);
  };
  const keyTypes =
    shape === 'keyless'
      ? []
      : Array.from({ length: shape === 'two' ? 2 : 1 }, () => pick(keysWith(words)));
  const keyColumns = keyTypes.map((type) => ({
    name: freeName(),
    definition: `${type[0]} NOT NULL`,
    values: typed(type),
  }));
  const count = shape === 'wide' ? pick([60, 60, 60, 250]) : 1 + below(6);
  const others = Array.from({ length: count }, () => drawColumn(random, freeName(), words));
  const [firstKey] = keyColumns;
  if (firstKey && chance(0.3))
    others.push({
      name: freeName(),
      definition: `text GENERATED ALWAYS AS (CASE WHEN ${firstKey.name} IS NULL THEN 'x' ELSE 'y' END) STORED`,
      values: [],
    });
  if (chance(0.2)) {
    const always = chance(0.5) ? 'ALWAYS' : 'BY DEFAULT';
    others.push({
      name: freeName(),
      definition: `int GENERATED ${always} AS IDENTITY`,
      values: [],
    });
  }
  const parent = pick([...parents.filter(({ key }) => key.length === 1), null, null]);
  const reference = parent?.columns.find((column) => column.name === parent.key[0]);
  if (parent && reference) {
    const column = freeName();
    others.push({
      name: column,
      definition: `${reference.definition.replace(' NOT NULL', '')} REFERENCES ${parent.name} ON DELETE ${pick(['CASCADE', 'SET NULL', 'NO ACTION'])} ON UPDATE CASCADE`,
      values: [...reference.values, 'NULL'],
    });
  }
  const columns = chance(0.3) ? [...others, ...keyColumns] : [...keyColumns, ...others];
  const key = keyColumns.map((column) => column.name);
  const create = definitionOf(random, shape, { name, key, columns });
  return { name, key, columns, create, hasChildren: shape === 'parent' };
}

const keysWith = ({ texts }: Words): readonly Type[] =>
  texts.length === 0 ? keys : [...keys, ['text', ...texts], ['varchar(40)', ...texts]];

function drawColumn({ chance, pick }: Random, name: string, { texts }: Words): Column {
  const type = texts.length > 0 && chance(0.3) ? (['text', ...texts] as const) : pick(types);
  const values = typed(type);
  if (chance(0.15)) return { name, definition: `${type[0]} NOT NULL DEFAULT ${values[0]}`, values };
  const given = chance(0.2) ? ` DEFAULT ${pick(values)}` : '';
  const check = chance(0.2) ? ` CHECK (${name} IS NULL OR ${name}::text <> 'no')` : '';
  return {
    name,
    definition: `${type[0]}${given}${check}`,
    values: [...values, `NULL::${plain(type[0])}`],
  };
}

function definitionOf(
  { chance, pick }: Random,
  shape: string,
  { name, key, columns }: Pick<DrawnTable, 'name' | 'key' | 'columns'>,
): string {
  const list = columns.map((column) => `${column.name} ${column.definition}`);
  if (key.length > 0) list.push(`PRIMARY KEY (${key.join(', ')})`);
  const body = list.join(', ');
  // names end with the number of the table, which tells those with equal beginnings apart
  const number = name.slice(-2, -1);
  const other = (suffix: string) =>
    quote(`${name.slice(1, 28).replaceAll('"', '')}${suffix}${number}`);
  const [first] = key;
  const keyColumn = columns.find((column) => column.name === first);
  if (shape === 'partitioned' && first) {
    // Enums are hashed by OIDs, which differ between databases.
    const hash = chance(0.5) && !keyColumn?.definition.startsWith('"Mood');
    const parts = hash
      ? [0, 1].map((rest) => `FOR VALUES WITH (MODULUS 2, REMAINDER ${rest})`)
      : [`FOR VALUES IN (${keyColumn?.values[0]})`, 'DEFAULT'];
    return `CREATE TABLE ${name} (${body}) PARTITION BY ${hash ? 'HASH' : 'LIST'} (${first});
      ${parts.map((part, index) => `CREATE TABLE ${other(`_${index}`)} PARTITION OF ${name} ${part};`).join('\n')}`;
  }
  const child =
    shape === 'parent'
      ? `CREATE TABLE ${other('_child')} (extra int DEFAULT 3, PRIMARY KEY (${first})) INHERITS (${name});`
      : '';
  const indexed = columns.find(({ definition }) =>
    /^(int|text|date|uuid|citext)\b/.test(definition),
  );
  const unique =
    indexed && chance(0.3) && shape !== 'parent'
      ? `CREATE UNIQUE INDEX ON ${name} (${indexed.name}${key[0] ? `, ${key[0]}` : ''}) ${pick(['', `WHERE ${indexed.name} IS NOT NULL`])};`
      : '';
  return `CREATE TABLE ${name} (${body}); ${child} ${unique}`;
}

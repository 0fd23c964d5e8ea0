/**
 * Arguments as SQL, drawn by type. They are small, so that no call takes long, and name existing objects, so that a call has an effect if
 * it can.
 */
import type { Random } from '../../helpers/random.ts';
import type { Catalog } from './catalog.ts';
import { runnable, words } from './texts.ts';

/** The types that stand for polymorphic arguments; the same type for all of a call. */
const polymorphic: Readonly<Record<string, string>> = {
  anyelement: 'integer',
  anynonarray: 'integer',
  anycompatible: 'integer',
  anycompatiblenonarray: 'integer',
  anyarray: 'integer[]',
  anycompatiblearray: 'integer[]',
  anyenum: 'mood',
  anyrange: 'int4range',
  anycompatiblerange: 'int4range',
  anymultirange: 'int4multirange',
  anycompatiblemultirange: 'int4multirange',
};

const wordLike = ['text', 'character varying', 'character', 'name', 'cstring', 'citext'];

/** `$bystander` is the process of a connection that nobody may disturb. The numbers are those of the advisory locks that are checked. */
const pools: Readonly<Record<string, readonly string[]>> = {
  boolean: ['true', 'false'],
  smallint: ['0', '1', '7', '-1'],
  integer: ['0', '1', '2', '7', '4711', '-1', '$bystander'],
  bigint: ['0', '1', '7', '4711', '-1'],
  real: ['0', '1', '-0.5', 'NaN'],
  'double precision': ['0', '0.1', '-1', '2', 'NaN'],
  numeric: ['0', '1', '-1.50', '4711', 'NaN'],
  money: ['1.00'],
  oid: ['0', '1', '4711', '8088', '1259'],
  regclass: ['item', 'numbers', 'item_pkey', 'pg_class', 'gin_index', 'brin_index'],
  regproc: ['now'],
  regprocedure: ['lower(text)'],
  regoper: ['||/'],
  regoperator: ['+(integer,integer)'],
  regtype: ['integer', 'item'],
  regrole: ['pg_monitor'],
  regnamespace: ['public', 'pg_catalog'],
  regconfig: ['simple'],
  regdictionary: ['simple'],
  regcollation: ['"C"'],
  '"char"': ['a', 'r', 'f'],
  bytea: ['x', '\\x00ff'],
  date: ['2026-01-02'],
  'time without time zone': ['12:00'],
  'time with time zone': ['12:00+01'],
  'timestamp without time zone': ['2026-01-02 12:00'],
  'timestamp with time zone': ['2026-01-02 12:00+00'],
  interval: ['0', '0.1 s', '1 day'],
  json: ['{"a": [1, null]}', '[{"a": 1}]', '1'],
  jsonb: ['{"a": [1, null]}', '[{"a": 1}]', '1'],
  jsonpath: ['$.a[*]', '$'],
  xml: ['<a>1</a>', '<a/>'],
  uuid: ['00000000-0000-0000-0000-000000000001'],
  inet: ['127.0.0.1/8', '::1'],
  cidr: ['10.0.0.0/8'],
  macaddr: ['08:00:2b:01:02:03'],
  macaddr8: ['08:00:2b:01:02:03:04:05'],
  bit: ['1'],
  'bit varying': ['101'],
  tsvector: ['a:1 b:2A'],
  tsquery: ['a & b', 'a'],
  point: ['(1,2)'],
  line: ['{1,2,3}'],
  lseg: ['[(0,0),(1,1)]'],
  box: ['(1,1),(0,0)'],
  path: ['((0,0),(1,1),(2,0))', '[(0,0),(1,1)]'],
  polygon: ['((0,0),(1,1),(2,0))'],
  circle: ['<(0,0),1>'],
  int4range: ['[1,5)', 'empty'],
  int8range: ['[1,5)'],
  numrange: ['[1,5)'],
  tsrange: ['[2026-01-01,2026-02-01)'],
  tstzrange: ['[2026-01-01,2026-02-01)'],
  daterange: ['[2026-01-01,2026-02-01)'],
  pg_lsn: ['0/1', '0/2000000'],
  txid_snapshot: ['10:20:10,14'],
  pg_snapshot: ['10:20:10,14'],
  xid: ['3', '700'],
  xid8: ['3', '700'],
  cid: ['0'],
  tid: ['(0,1)', '(0,2)'],
  refcursor: ['c'],
  aclitem: ['=r/postgres'],
  int2vector: ['1 2'],
  oidvector: ['1 2'],
  hstore: ['a=>1', 'b=>NULL'],
  ltree: ['a.b.c'],
  lquery: ['a.*'],
  ltxtquery: ['a & b'],
  cube: ['(1,2),(3,4)'],
  seg: ['1 .. 2'],
  query_int: ['1&2'],
  lo: ['8088'],
  isbn: ['0-393-04002-X'],
  isbn13: ['978-0393040029'],
  ean13: ['9780393040029'],
};

/** Returns a value of a type as SQL. */
export function drawValue(random: Random, catalog: Catalog, type: string): string {
  const known = polymorphic[type] ?? type;
  if (random.chance(0.04)) return nullOf(known, catalog);
  if (known === 'record') return `ROW(1, 'a'::text)`;
  if (known === '"any"') return drawValue(random, catalog, random.pick(['integer', 'text']));
  if (known === 'jsonb' && random.chance(0.1)) return `to_jsonb(1)`;
  const literal = literalOf(random, catalog, known);
  if (literal === null) return nullOf(known, catalog);
  return `${quoted(literal)}::${known}`;
}

/** Returns the text form of a value of a type; null if none is known. */
function literalOf(random: Random, catalog: Catalog, type: string): string | null {
  if (wordLike.includes(type)) {
    const text = random.pick(random.chance(0.4) && type === 'text' ? runnable : words);
    return type === 'name' ? text.slice(0, 63) : text;
  }
  const pool = pools[type];
  if (pool) return random.pick(pool);
  const facts = catalog.types.get(type);
  if (facts?.label) return facts.label;
  if (facts?.base) return literalOf(random, catalog, facts.base);
  if (facts?.kind === 'multirange') return '{}';
  if (facts?.element) return arrayOf(random, catalog, facts.element);
  return null;
}

function arrayOf(random: Random, catalog: Catalog, element: string): string {
  const items = Array.from({ length: random.below(3) }, () => literalOf(random, catalog, element));
  const written = items.map((item) =>
    item === null ? 'NULL' : `"${item.replaceAll(/["\\]/g, '\\$&')}"`,
  );
  return `{${written.join(',')}}`;
}

/** Returns a null of a type. A cast to a pseudo-type is not possible. */
function nullOf(type: string, catalog: Catalog): string {
  const isPseudo = catalog.types.get(type)?.kind === 'pseudo' && type !== 'cstring';
  return isPseudo ? 'NULL' : `NULL::${type}`;
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns the type that a polymorphic type stands for, and any other type itself. */
export const concrete = (type: string): string => polymorphic[type] ?? type;

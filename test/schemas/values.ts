/** Values for the columns of any table: the same number gives the same value, so that rows of tables fit together by their keys. */
import type { Column, Type } from './tables.ts';

export type Types = ReadonlyMap<number, Type>;

/** How a value is chosen: from the type, or from the constants that constraints name. */
export type Choice = 'typical' | 'constant';

/** Returns the text of a value; null if none is known for the type. */
export function valueFor(
  types: Types,
  column: Column,
  number: number,
  choice: Choice,
): string | null {
  if (choice === 'constant' && column.constants.length > 0)
    return column.constants[number % column.constants.length] ?? null;
  return valueOfType(types, column.type, column.modifier, number, choice);
}

function valueOfType(
  types: Types,
  oid: number,
  modifier: number,
  number: number,
  choice: Choice,
): string | null {
  const type = types.get(oid);
  if (type === undefined) return null;
  const inner = (of = number) => valueOfType(types, type.inner, type.modifier, of, choice);
  if (type.kind === 'e') return type.labels[number % type.labels.length] ?? null;
  if (type.kind === 'd')
    return choice === 'constant' && type.constants.length > 0
      ? (type.constants[number % type.constants.length] ?? null)
      : inner();
  if (type.kind === 'r') return `[${inner()},${inner(number + 1)})`;
  if (type.kind === 'm') return `{${inner()}}`;
  if (type.isArray) return `{"${inner()?.replaceAll('"', '\\"')}"}`;
  return cut(base[type.name]?.(number) ?? null, type.name, modifier);
}

/** Cuts a text to the length of its column. */
function cut(text: string | null, type: string, modifier: number): string | null {
  if (text === null || modifier < 0 || !/char$/.test(type)) return text;
  return text.length <= modifier - 4 ? text : text.slice(-(modifier - 4));
}

const text = (number: number) => `t${number}`;
const count = String;

const base: Readonly<Record<string, (number: number) => string>> = {
  ...{
    int2: count,
    int4: count,
    int8: count,
    float4: count,
    float8: count,
    oid: count,
    money: count,
  },
  ...{ text, varchar: text, bpchar: text, citext: text, name: text, xml: (n) => `<a>${n}</a>` },
  numeric: count,
  char: (n) => String(n % 10),
  bool: (n) => String(n % 2 === 1),
  date: (n) => `2001-01-0${n}`,
  timestamp: (n) => `2001-01-0${n} 10:00:00`,
  timestamptz: (n) => `2001-01-0${n} 10:00:00+00`,
  time: (n) => `0${n}:00:00`,
  timetz: (n) => `0${n}:00:00+00`,
  interval: (n) => `${n} hours`,
  uuid: (n) => `00000000-0000-4000-8000-00000000000${n}`,
  json: (n) => `{"a": ${n}}`,
  jsonb: (n) => `{"a": ${n}}`,
  jsonpath: (n) => `$.a${n}`,
  bytea: (n) => `\\x0${n}`,
  inet: (n) => `10.0.0.${n}`,
  cidr: (n) => `10.0.${n}.0/24`,
  macaddr: (n) => `00:00:00:00:00:0${n}`,
  bit: (n) => String(n % 2),
  varbit: (n) => String(n % 2),
  tsvector: (n) => `a${n}`,
  tsquery: (n) => `a${n}`,
  hstore: (n) => `a=>${n}`,
  ltree: (n) => `a.b${n}`,
  point: (n) => `(${n},${n})`,
  box: (n) => `(${n},${n}),(0,0)`,
  polygon: (n) => `((0,0),(${n},0),(0,${n}))`,
  cube: (n) => `(${n},${n})`,
  regclass: () => 'pg_class',
};

/** Random keys, unique constraints and indexes, exclusions and partitions. */
import type { Random } from '../helpers/random.ts';
import { literal } from './column-types.ts';
import type { Column, Unique } from './schema.ts';
import { list } from './statement.ts';

/** The reason why a row's key is unique: a primary key, or an index over columns that are never null. */
export function primaryKey(random: Random, key: readonly Column[]): Unique {
  const columns = `(${list(key)})`;
  const definition = `${random.chance(0.9) ? 'PRIMARY KEY' : 'UNIQUE INDEX'} ${columns}`;
  return { columns: key, definition, arbiter: random.chance(0.9) ? columns : null };
}

/** Further uniques; those of a partitioned table have to hold its key. */
export function randomUniques(
  random: Random,
  values: readonly Column[],
  partitionKey: readonly Column[],
): Unique[] {
  const candidates = values.filter(({ type, filled }) => type.ordered && filled !== 'computed');
  if (candidates.length === 0) return [];
  const uniques = Array.from({ length: random.below(3) }, () => {
    const chosen = [...new Set([random.pick(candidates), random.pick(candidates)])];
    return partitionKey.length > 0
      ? plainUnique([...partitionKey, ...chosen])
      : randomUnique(random, chosen);
  });
  return uniques.filter(
    ({ definition }, at) => uniques.findIndex((other) => other.definition === definition) === at,
  );
}

function plainUnique(columns: readonly Column[]): Unique {
  const text = `(${list(columns)})`;
  return { columns, definition: `UNIQUE ${text}`, arbiter: text };
}

/** A constraint, or an index, whose definition then begins with UNIQUE INDEX. */
function randomUnique(random: Random, columns: readonly Column[]): Unique {
  const text = list(columns);
  const [first] = columns as readonly [Column];
  const partial = `${first.name} IS NOT NULL`;
  return random.pick<() => Unique>([
    () => plainUnique(columns),
    () => ({ columns, definition: `UNIQUE NULLS NOT DISTINCT (${text})`, arbiter: `(${text})` }),
    () => ({ columns, definition: `UNIQUE (${text}) DEFERRABLE`, arbiter: null }),
    () => ({
      columns,
      definition: `UNIQUE (${text}) DEFERRABLE INITIALLY DEFERRED`,
      arbiter: null,
    }),
    () => ({ columns, definition: `UNIQUE INDEX (${text})`, arbiter: `(${text})` }),
    () => ({
      columns,
      definition: `UNIQUE INDEX (${text}) WHERE ${partial}`,
      arbiter: `(${text}) WHERE ${partial}`,
    }),
    () => ({
      columns: [first],
      definition: `UNIQUE INDEX ((${first.name} IS NULL), ${first.name})`,
      arbiter: `((${first.name} IS NULL), ${first.name})`,
    }),
    () => ({ columns: [first], definition: exclusion(random, first), arbiter: null }),
  ])();
}

function exclusion(random: Random, { name, type }: Column): string {
  const text =
    type.name === 'int4range' || type.name === 'tstzrange'
      ? `EXCLUDE USING gist (${name} WITH &&)`
      : `EXCLUDE USING btree (${name} WITH =)`;
  return (
    text + random.pick(['', '', ` WHERE (${name} IS NOT NULL)`, ' DEFERRABLE INITIALLY DEFERRED'])
  );
}

/** How a table is partitioned, and the statements that make its partitions; some are partitioned again. */
export function randomPartitions(random: Random, name: string, key: readonly Column[]): string[] {
  const [first] = key as readonly [Column];
  const last = key.at(-1) as Column;
  const of = (suffix: string, parent = name) =>
    `CREATE TABLE ${part(name, suffix)} PARTITION OF ${parent}`;
  const halves = (parent?: string) => [
    `${of('even', parent)} FOR VALUES WITH (MODULUS 2, REMAINDER 0)`,
    `${of('odd', parent)} FOR VALUES WITH (MODULUS 2, REMAINDER 1)`,
  ];
  const [low, high] = [literal(first.type.values[1] ?? ''), literal(first.type.values[2] ?? '')];
  const rest = random.pick([
    [],
    [`${of('rest')} DEFAULT`],
    [`${of('rest')} DEFAULT PARTITION BY HASH (${last.name})`, ...halves(part(name, 'rest'))],
  ]);
  return random.pick([
    [`HASH (${first.name})`, ...halves()],
    [`LIST (${first.name})`, `${of('few')} FOR VALUES IN (${low}, ${high})`, ...rest],
    [`RANGE (${first.name})`, `${of('few')} FOR VALUES FROM (MINVALUE) TO (${high})`, ...rest],
  ]);
}

/** The suffix of a partition's name. */
export const partitionSuffix = /_part_(even|odd|few|rest)/g;

const part = (name: string, suffix: string) =>
  name.endsWith('"') ? `${name.slice(0, -1)}_part_${suffix}"` : `${name}_part_${suffix}`;

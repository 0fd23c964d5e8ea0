/** A random script: a schema and statements over it, alone, in transactions, prepared and pipelined. */
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { literal } from './column-types.ts';
import { copyIn, copyOut } from './copies.ts';
import { everything, reads } from './reads.ts';
import type { Schema } from './schema.ts';
import { randomSchema } from './schema.ts';
import { explain, merge, truncate, upsert, upsertSeveral } from './special-writes.ts';
import type { Parameter, Statement } from './statement.ts';
import { createWriter, plainStatement } from './statement.ts';
import { transaction } from './transactions.ts';
import type { Shape } from './writes.ts';
import { writesOfMany, writesOfOne } from './writes.ts';

export interface Script {
  /** DDL and first rows, run directly on both databases. */
  readonly setup: readonly string[];
  readonly statements: readonly Statement[];
  /** Tables to compare at the end. */
  readonly tables: readonly string[];
}

/** The material of statements. */
interface Source {
  readonly random: Random;
  readonly schema: Schema;
  readonly major: number;
}

/** Gives the script of a seed: the same on every run. */
export function randomScript(seed: number, length: number, major: number): Script {
  const random = createRandom(seed);
  const schema = randomSchema(random, major);
  const source = { random, schema, major };
  const statements: Statement[] = [];
  while (statements.length < length) {
    statements.push(...nextStatements(source));
    if (random.chance(0.03)) statements.push(...checkpoint(schema));
  }
  statements.push(...checkpoint(schema));
  return { setup: schema.setup, statements, tables: schema.tables.map(({ name }) => name) };
}

const checkpoint = ({ tables }: Schema): Statement[] =>
  tables.map((table) => plainStatement(everything(table)));

function nextStatements(source: Source): Statement[] {
  const { random, schema, major } = source;
  if (random.chance(0.09)) return transaction(random, schema, major, () => single(source));
  if (random.chance(0.02)) return preparedInSql(source);
  if (random.chance(0.02)) return prepared(source);
  if (random.chance(0.02)) return [severalInOne(source)];
  if (random.chance(0.02)) return [pipelined(source)];
  return [single(source)];
}

/** A statement prepared by SQL, executed twice. */
function preparedInSql(source: Source): Statement[] {
  const { text, parameters, compared } = written(source, writesOfOne, true);
  const values = (parameters ?? []).map(({ value }) => literal(value)).join(', ');
  const call = `EXECUTE made${values === '' ? '' : `(${values})`}`;
  const execute = { ...plainStatement(call), compared };
  return [
    plainStatement(`PREPARE made AS ${text}`),
    execute,
    execute,
    plainStatement('DEALLOCATE made'),
  ];
}

/** A named statement of the protocol, executed several times and then given up. */
function prepared(source: Source): Statement[] {
  const made = written(source, [...writesOfOne, ...reads], true);
  const again = (isMade: boolean) => ({ ...made, prepared: { name: 'named', isMade } });
  const between = source.random.chance(0.5) ? [single(source)] : [];
  return [again(false), ...between, again(true), again(true), plainStatement('DEALLOCATE named')];
}

/** Several statements in one message of the simple protocol. */
function severalInOne(source: Source): Statement {
  const all = Array.from({ length: 2 + source.random.below(2) }, () =>
    written(source, [...writesOfOne, ...reads], false),
  );
  const compared = all.every((each) => each.compared === 'all') ? 'all' : 'any violation';
  return { ...plainStatement(all.map(({ text }) => text).join('; ')), compared };
}

/** Several statements before one Sync. */
function pipelined(source: Source): Statement {
  const next = () => written(source, [...writesOfOne, ...reads], true);
  return { ...next(), compared: 'any violation', pipelined: [next(), next()] };
}

function single(source: Source): Statement {
  const { random, schema, major } = source;
  const write = (shapes: readonly Shape[]) => written(source, shapes, random.chance(0.5));
  if (random.chance(0.04)) return copyIn(random, schema);
  if (random.chance(0.01)) return copyOut(random, schema, major);
  if (random.chance(0.01) && !defersConstraints(schema)) return write([truncate]);
  if (random.chance(0.005)) return { ...write([explain]), compared: 'no rows' };
  const kind = random.below(20);
  if (kind < 8) return write(writesOfOne);
  if (kind < 13) return { ...write(writesOfMany), compared: 'any violation' };
  if (kind < 17) return { ...write([upsert, upsertSeveral, merge]), compared: 'any violation' };
  return write(reads);
}

/** Whether constraints may still have to be judged, which PostgreSQL does not let TRUNCATE step over. */
const defersConstraints = ({ setup }: Schema) => setup.some((text) => text.includes('DEFERRABLE'));

/** Writes one of the shapes for one of the tables; not every shape goes with every table. */
function written(
  { random, schema, major }: Source,
  shapes: readonly Shape[],
  bound: boolean,
): Statement {
  for (;;) {
    const parameters: Parameter[] | null = bound ? [] : null;
    const writer = createWriter(random, schema, major, parameters);
    const table = random.pick(schema.tables);
    const text = random.pick(shapes)(writer, table);
    if (text === null) continue;
    return {
      ...plainStatement(text, parameters),
      binaryResults: bound && random.chance(0.3),
      rowsAtOnce: bound && random.chance(0.1) ? 2 : 0,
      // without a key, what names one row may name several
      compared: table.hasKey ? 'all' : 'any violation',
    };
  }
}

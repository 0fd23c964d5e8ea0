/** One statement of a random script, and the means by which the generators write one. */
import type { Random } from '../helpers/random.ts';
import type { ColumnType } from './column-types.ts';
import { literal } from './column-types.ts';
import type { Column, Schema } from './schema.ts';

export interface Parameter {
  readonly value: string | null;
  /** Sent in binary form. */
  readonly binary: Buffer | null;
}

export interface Statement {
  readonly text: string;
  /** Null for the simple protocol. */
  readonly parameters: readonly Parameter[] | null;
  /** Ask for results in binary form. */
  readonly binaryResults: boolean;
  /**
   * The part of two responses that has to be the same: everything; everything but which integrity violation was found (where rows
   * break several constraints, PostgreSQL's choice depends on the order in which they are stored); everything but which
   * error; or everything but the rows.
   */
  readonly compared: 'all' | 'any violation' | 'any failure' | 'no rows';
  /** The data of a COPY FROM STDIN; null in it breaks the COPY off. */
  readonly data: readonly (Buffer | null)[];
  /** A named statement of the protocol, with what makes it if it is not there yet. */
  readonly prepared: { readonly name: string; readonly isMade: boolean } | null;
  /** How many rows each Execute asks for; 0 for all at once. */
  readonly rowsAtOnce: number;
  /** Statements that follow before the Sync. */
  readonly pipelined: readonly Statement[];
}

/** A statement of the simple protocol, or with parameters one of the extended. */
export const plainStatement = (
  text: string,
  parameters: readonly Parameter[] | null = null,
): Statement => ({
  text,
  parameters,
  binaryResults: false,
  compared: 'all',
  data: [],
  prepared: null,
  rowsAtOnce: 0,
  pipelined: [],
});

/** Writes the parts of one statement. Values become literals or parameters, one way for the whole statement. */
export interface Writer {
  readonly random: Random;
  readonly schema: Schema;
  readonly major: number;
  value(column: Column, chanceOfNull?: number): string;
  /** A value that is not of a column. */
  constant(value: string, type: ColumnType): string;
}

/** Makes a writer; `parameters` collects what has to be bound. */
export function createWriter(
  random: Random,
  schema: Schema,
  major: number,
  parameters: Parameter[] | null,
): Writer {
  const constant = (value: string | null, type: ColumnType): string => {
    const cast = random.chance(0.3) ? `::${type.name}` : '';
    if (!parameters) return `${literal(value)}${cast}`;
    const binary = value !== null && type.binary && random.chance(0.5) ? type.binary(value) : null;
    parameters.push({ value, binary });
    return `$${parameters.length}::${type.name}`;
  };
  return {
    random,
    schema,
    major,
    constant,
    value: ({ type, refers }, chanceOfNull = refers ? 0.3 : 0.08) =>
      constant(random.chance(chanceOfNull) ? null : random.pick(type.values), type),
  };
}

export const list = (columns: readonly Column[], prefix = ''): string =>
  columns.map(({ name }) => `${prefix}${name}`).join(', ');

/** A non-empty random part of a list, in its order. */
export function some<T>(random: Random, items: readonly T[]): T[] {
  const chosen = items.filter(() => random.chance(0.5));
  return chosen.length > 0 ? chosen : [random.pick(items)];
}

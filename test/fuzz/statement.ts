/** One statement of a random script, and the means by which the generators write one. */
import type { Random } from '../helpers/random.ts';
import type { ColumnType } from './column-types.ts';
import { literal } from './column-types.ts';
import type { Column, Schema, Table } from './schema.ts';

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
  /** May break several constraints at once, and PostgreSQL's choice depends on the order in which rows are stored. */
  readonly ofMany: boolean;
  /** The data of a COPY FROM STDIN. */
  readonly data: string | null;
}

/** What differs between servers and between states of the product. */
export interface Features {
  readonly major: number;
  /** Whether a way to write can be staged by now. */
  readonly staged: (form: string) => boolean;
}

/** Writes the parts of one statement. Values become literals or parameters, one way for the whole statement. */
export interface Writer {
  readonly random: Random;
  readonly schema: Schema;
  readonly features: Features;
  table(): Table;
  value(column: Column, chanceOfNull?: number): string;
  /** A value that is not of a column. */
  constant(value: string, type: ColumnType): string;
}

/** Makes a writer; `parameters` collects what has to be bound. */
export function createWriter(
  random: Random,
  schema: Schema,
  features: Features,
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
    features,
    table: () => random.pick(schema.tables),
    constant,
    value: ({ type }, chanceOfNull = 0.08) =>
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

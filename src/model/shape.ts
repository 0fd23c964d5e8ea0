/**
 * Shapes declare the nouns of the REST API: a noun's type, reader, writer and JSON Schema follow from its shape.
 * `writerOf` writes, `readerOf` in client/read-noun.ts reads, `schemaOf` in rest/schemas/noun-schema.ts describes.
 */
import type { JsonObject, JsonText, JsonValue } from './json.ts';

/** The kind of JSON of a member. */
export type Form =
  | { readonly is: 'text'; readonly pattern: RegExp | undefined }
  | { readonly is: 'time' | 'count' | 'integer' | 'flag' | 'mark' }
  | { readonly is: 'word'; readonly words: readonly string[]; readonly isOpen: boolean }
  | { readonly is: 'json'; readonly holds: JsonForm }
  | { readonly is: 'list'; readonly of: Field }
  | { readonly is: 'noun' | 'tuple'; readonly shape: Shape };

/** JSON that is sent on as text. `texts`: PostgreSQL's texts of values, by the member that holds the row, then by column. */
export type JsonForm = 'any' | 'row' | 'key' | 'key or null' | 'object' | 'list' | 'texts';

/** A member of a noun, whose values have the type T. If it is optional, a noun may lack the property. */
export interface Field<T = unknown, Optional extends boolean = boolean> {
  readonly form: Form;
  /** The JSON of null, or of a missing property: null, or no member. */
  readonly empty: 'never' | 'null' | 'left out';
  readonly isOptional: Optional;
  /** The value that a reader assumes if the member is missing or null, as in the responses of older daemons. */
  readonly otherwise?: T;
  /** Name in JSON; absent if it is the property's name in snake case. */
  readonly member?: string;
  /** A second name, under which JSON repeats the value. */
  readonly alias?: string;
  /** The property without which this one is left out, even if it is null. */
  readonly beside?: string;
  /** Its meaning: a part of the JSON Schema. */
  readonly description?: string;
}

export type Members = Readonly<Record<string, Field>>;

/** A member with its names, which are made once: nouns are written and read by the million. */
interface Entry {
  readonly property: string;
  /** Name in JSON. */
  readonly member: string;
  /** The property's name in snake case. */
  readonly column: string;
  readonly field: Field;
}

export interface Shape<M extends Members = Members> {
  readonly members: M;
  /** The members in order. */
  readonly entries: readonly Entry[];
  /** Name of its schema in the OpenAPI document; absent for one that is described where it is used. */
  readonly id?: string;
}

type Value<F> = F extends Field<infer T> ? T : never;
type OptionalName<M> = {
  [K in keyof M]: M[K] extends Field<unknown, true> ? K : never;
}[keyof M];

/** The type of a noun. */
export type Noun<S extends Shape> = {
  readonly [K in Exclude<keyof S['members'], OptionalName<S['members']>>]: Value<S['members'][K]>;
} & { readonly [K in OptionalName<S['members']>]?: Value<S['members'][K]> };

/** Makes a shape. Members have their property's name in snake case, unless `named` gives them another one. */
export function shape<M extends Members>(members: M, id?: string): Shape<M> {
  const entries = Object.entries(members).map(([property, field]) => {
    const column = property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { property, member: field.member ?? column, column, field };
  });
  return id === undefined ? { members, entries } : { members, entries, id };
}

type Required<T> = Field<T, false>;

function field<T>(form: Form, description?: string): Required<T> {
  const bare = { form, empty: 'never', isOptional: false } as const;
  return description === undefined ? bare : { ...bare, description };
}

/** Makes a text. @param pattern a pattern that its values match */
export const text = (description?: string, pattern?: RegExp) =>
  field<string>({ is: 'text', pattern }, description);

/** Makes a time: ISO 8601 UTC with microseconds, such as `2026-01-31T12:00:00.000000Z`. */
export const time = (description?: string) => field<string>({ is: 'time' }, description);

/** Makes a number that is not negative. A reader takes 0 for a missing one, and the value of `otherwise` where it has one. */
export const count = (description?: string) => field<number>({ is: 'count' }, description);

/** Makes a whole number, which may be negative. */
export const integer = (description?: string) => field<number>({ is: 'integer' }, description);

/** Makes a value that is true or false. A reader takes false for a missing one, and the value of `otherwise` where it has one. */
export const flag = (description?: string) => field<boolean>({ is: 'flag' }, description);

/** Makes a property that is true, or missing. */
export const mark = (description?: string) => optional(field<true>({ is: 'mark' }, description));

/** Makes a word of a fixed list. */
export const word = <const W extends string>(words: readonly W[], description?: string) =>
  field<W>({ is: 'word', words, isOpen: false }, description);

/** Makes a word of a list that newer daemons extend. A reader takes any word, and its caller leaves out those that it does not know. */
export const openWord = <const W extends string>(words: readonly W[], description?: string) =>
  field<W>({ is: 'word', words, isOpen: true }, description);

/** Makes a JSON value. @param holds the form of that value */
export const json = (holds: JsonForm, description?: string) =>
  field<JsonText>({ is: 'json', holds }, description);

/** Makes a list. A reader takes an empty one for a missing one. */
export const list = <T>(of: Required<T>, description?: string) =>
  field<readonly T[]>({ is: 'list', of }, description);

/** Makes a member with a shape of its own. */
export const noun = <S extends Shape>(shape: S, description?: string) =>
  field<Noun<S>>({ is: 'noun', shape }, description);

/** Makes a noun that is sent as an array of its members in order, because there may be thousands. */
export const tuple = <S extends Shape>(shape: S, description?: string) =>
  field<Noun<S>>({ is: 'tuple', shape }, description);

/** Makes a field that may be null, in JSON as well. */
export const orNull = <T>(field: Required<T>): Required<T | null> => ({ ...field, empty: 'null' });

/** Makes a field that may be null. Its JSON then has no member. */
export const orLeftOut = <T>(field: Required<T>): Required<T | null> => ({
  ...field,
  empty: 'left out',
});

/** Makes a field that may be missing, in JSON as well. */
export const optional = <T>(field: Required<T>): Field<T, true> => ({
  ...field,
  empty: 'left out',
  isOptional: true,
});

/** Makes a field for which a reader takes the value if it is missing, or a word that the reader does not know. */
export const otherwise = <T, D extends T | null>(
  field: Required<T>,
  value: D,
): Required<T | Extract<D, null>> => ({
  ...field,
  otherwise: value as T | Extract<D, null>,
});

/** Gives a field another name in JSON than its own in snake case. */
export const named = <F extends Field>(member: string, field: F): F => ({ ...field, member });

/** Gives a field a second name, under which JSON repeats the value. */
export const alsoNamed = <F extends Field>(alias: string, field: F): F => ({ ...field, alias });

/** Makes a field that JSON has, even as null, only beside another property that is not null. */
export const beside = <F extends Field>(property: string, field: F): F => ({
  ...field,
  beside: property,
});

/** Returns the writer of a noun: it makes the noun's body in JSON, in the order of its shape. Other properties are not sent. */
export const writerOf =
  <S extends Shape>(shape: S) =>
  (noun: Noun<S>): JsonObject =>
    bodyOf(shape, noun as Values);

type Values = Readonly<Record<string, unknown>>;

function bodyOf({ entries }: Shape, values: Values): JsonObject {
  const body: Record<string, JsonValue> = {};
  for (const { property, member, field } of entries) {
    const value = values[property];
    if (isLeftOut(field, value, values)) continue;
    const sent = jsonOf(field, value);
    body[member] = sent;
    if (field.alias !== undefined) body[field.alias] = sent;
  }
  return body;
}

function isLeftOut(field: Field, value: unknown, noun: Values): boolean {
  if (field.beside !== undefined) return noun[field.beside] === null;
  return value === undefined || (value === null && field.empty === 'left out');
}

function jsonOf({ form }: Field, value: unknown): JsonValue {
  if (value === null) return null;
  if (form.is === 'list') return (value as readonly unknown[]).map((each) => jsonOf(form.of, each));
  if (form.is === 'noun') return bodyOf(form.shape, value as Values);
  if (form.is === 'tuple') return Object.values(bodyOf(form.shape, value as Values));
  return value as JsonValue;
}

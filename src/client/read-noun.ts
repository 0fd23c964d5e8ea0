/** Reads nouns of the REST API by their shapes. Values that are not read remain text. */
import type { JsonText } from '../model/json.ts';
import { elementsOf, membersOf } from '../model/json-members.ts';
import type { Field, Form, Noun, Shape } from '../model/shape.ts';

/** Returns the reader of a noun. It throws SyntaxError if a member is missing or does not match the shape. */
export const readerOf =
  <S extends Shape>(shape: S) =>
  (json: JsonText): Noun<S> =>
    readNoun(shape, membersOf(json));

function readNoun<S extends Shape>(shape: S, sent: ReadonlyMap<string, JsonText>): Noun<S> {
  const noun: Record<string, unknown> = {};
  for (const { property, member, field } of shape.entries) {
    const value = fieldOf(field, sent.get(member) ?? sent.get(field.alias ?? member), member);
    if (value !== undefined) noun[property] = value;
  }
  return noun as Noun<S>;
}

/** Reads a value; undefined for an optional one that is missing. */
function fieldOf(field: Field, json: JsonText | undefined, member: string): unknown {
  const value = json === undefined || json.text === 'null' ? null : readForm(json, field);
  if (value !== null) return value;
  if (field.otherwise !== undefined) return field.otherwise;
  if (field.isOptional) return undefined;
  if (field.empty !== 'never' || field.beside !== undefined) return null;
  const missing = missingValues[field.form.is];
  if (missing === undefined) throw new SyntaxError(`the answer lacks ${member}`);
  return missing;
}

/** The value that is assumed for a missing member that is never null. */
const missingValues: { readonly [I in Form['is']]?: unknown } = { count: 0, list: [], flag: false };

/** Reads JSON that is not null. Returns null for a value of another type. */
function readForm(json: JsonText, field: Field): unknown {
  const { form } = field;
  switch (form.is) {
    case 'text':
    case 'time':
      return textOf(json);
    case 'count':
    case 'integer':
      return Number(json.text);
    case 'flag':
      return json.text === 'true';
    case 'mark':
      return json.text === 'true' ? true : null;
    case 'word':
      return form.isOpen ? textOf(json) : wordOf(json, form.words, field.otherwise !== undefined);
    case 'json':
      return json;
    case 'list':
      return elementsOf(json).map((each) => fieldOf(form.of, each, 'an element'));
    case 'noun':
      return readNoun(form.shape, membersOf(json));
    case 'tuple':
      return readNoun(form.shape, membersOfTuple(form.shape, json));
  }
}

function textOf({ text }: JsonText): string | null {
  return text.startsWith('"') ? (JSON.parse(text) as string) : null;
}

function wordOf(json: JsonText, words: readonly string[], mayBeUnknown: boolean): string | null {
  const text = textOf(json);
  if (text === null || words.includes(text)) return text;
  if (mayBeUnknown) return null;
  throw new SyntaxError(`the answer has an unknown ${JSON.stringify(text)}`);
}

function membersOfTuple({ entries }: Shape, json: JsonText): ReadonlyMap<string, JsonText> {
  const elements = elementsOf(json);
  return new Map(
    entries.flatMap(({ member }, at) => (elements[at] ? [[member, elements[at]]] : [])),
  );
}

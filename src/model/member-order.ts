/** Members of JSON objects from jsonb, which sorts them by the length of their names, in the order of a table's columns or of its key. */
import { JsonText } from './json.ts';
import { membersOf } from './json-members.ts';

/**
 * Puts the members of an object into the order of the given names. Other members come last; other values stay as they are.
 * @param text JSON as jsonb prints it
 */
export function inOrder(text: string, names: readonly string[]): JsonText {
  if (names.length < 2 || !text.startsWith('{')) return new JsonText(text);
  const members = membersOf(new JsonText(text));
  const ordered = new Map(names.flatMap((name) => pairOf(members, name)));
  for (const [name, value] of members) if (!ordered.has(name)) ordered.set(name, value);
  return objectOf(ordered);
}

/** Does the same with the object that is the member `row_id` of an object. */
export function rowIdInOrder(text: string, names: readonly string[]): JsonText {
  const members = membersOf(new JsonText(text));
  const rowId = members.get('row_id');
  if (rowId === undefined) return new JsonText(text);
  return objectOf(new Map([...members, ['row_id', inOrder(rowId.text, names)]]));
}

const pairOf = (members: ReadonlyMap<string, JsonText>, name: string): [string, JsonText][] => {
  const value = members.get(name);
  return value === undefined ? [] : [[name, value]];
};

const objectOf = (members: ReadonlyMap<string, JsonText>) =>
  new JsonText(
    `{${[...members].map(([name, value]) => `${JSON.stringify(name)}: ${value.text}`).join(', ')}}`,
  );

/** Members of JSON objects from jsonb, which sorts them by the length of their names, in the order of a table's columns or of its key. */
import { JsonText } from './json.ts';

/**
 * Puts the members of an object into the order of the given names. Other members come last; other values stay as they are.
 * @param text JSON as jsonb prints it
 */
export function inOrder(text: string, names: readonly string[]): JsonText {
  if (names.length < 2 || !text.startsWith('{')) return new JsonText(text);
  const members = membersIn(text);
  const ordered = new Map(names.flatMap((name) => pairOf(members, name)));
  for (const [name, value] of members) if (!ordered.has(name)) ordered.set(name, value);
  return objectOf(ordered);
}

/** Does the same with the object that is the member `row_id` of an object. */
export function rowIdInOrder(text: string, names: readonly string[]): JsonText {
  const members = membersIn(text);
  const rowId = members.get('row_id');
  if (rowId === undefined) return new JsonText(text);
  return objectOf(new Map([...members, ['row_id', inOrder(rowId, names).text]]));
}

const pairOf = (members: ReadonlyMap<string, string>, name: string): [string, string][] => {
  const value = members.get(name);
  return value === undefined ? [] : [[name, value]];
};

const objectOf = (members: ReadonlyMap<string, string>) =>
  new JsonText(
    `{${[...members].map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(', ')}}`,
  );

/** Returns the texts of an object's members, by name. */
function membersIn(text: string): Map<string, string> {
  const members = new Map<string, string>();
  for (let start = text.indexOf('"'); start > 0; ) {
    const nameEnd = stringEnd(text, start);
    const name = JSON.parse(text.slice(start, nameEnd)) as string;
    const begin = text.indexOf(':', nameEnd) + 1;
    const end = valueEnd(text, begin);
    members.set(name, text.slice(begin, end).trim());
    start = text[end] === ',' ? text.indexOf('"', end) : -1;
  }
  return members;
}

/** Returns the position of the comma or the brace behind a member's value. */
function valueEnd(text: string, begin: number): number {
  let depth = 0;
  for (let position = begin; position < text.length; position += 1) {
    const character = text[position];
    if (character === '"') position = stringEnd(text, position) - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (depth === 0 && (character === ',' || character === '}')) return position;
    else if (character === '}' || character === ']') depth -= 1;
  }
  return text.length;
}

/** Returns the position behind the string that begins at a position. */
function stringEnd(text: string, begin: number): number {
  let position = begin + 1;
  while (position < text.length && text[position] !== '"')
    position += text[position] === '\\' ? 2 : 1;
  return position + 1;
}

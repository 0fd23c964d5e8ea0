/** The members of a JSON object and the elements of an array, each as the text that was received. */
import type { JsonText } from './json.ts';
import type { Piece } from './json-splitter.ts';
import { JsonSplitter } from './json-splitter.ts';

function split(json: JsonText, open: (path: readonly string[]) => boolean): readonly Piece[] {
  const splitter = new JsonSplitter(open);
  return [...splitter.push(json.text), ...splitter.end()];
}

/** Returns the members of a JSON object in order, each as its JSON text; empty if it is not an object. */
export function membersOf(json: JsonText): ReadonlyMap<string, JsonText> {
  return new Map(membersIn(json));
}

/** Returns the same members as a list, which can contain a name twice. */
export function membersIn(json: JsonText): readonly (readonly [string, JsonText])[] {
  if (!json.text.trimStart().startsWith('{')) return [];
  return split(json, (path) => path.length === 0).map(({ path, value }) => [path[0] ?? '', value]);
}

/** Returns the elements of a JSON array, each as its JSON text; empty if it is not an array. */
export function elementsOf(json: JsonText): readonly JsonText[] {
  if (!json.text.trimStart().startsWith('[')) return [];
  return split(json, (path) => path.length === 0).map((piece) => piece.value);
}

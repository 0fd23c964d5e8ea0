/** Reads members of a JSON object by name and type. Values that are not read remain text. */
import type { JsonText } from '../model/json.ts';
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

/** A JSON object whose members are read by name. */
export class Fields {
  readonly #members: ReadonlyMap<string, JsonText>;

  constructor(json: JsonText) {
    this.#members = membersOf(json);
  }

  /** Returns the member's JSON text; null if it is missing or null. */
  json(name: string): JsonText | null {
    const member = this.#members.get(name);
    return member === undefined || member.text === 'null' ? null : member;
  }

  /** Returns the member's string; null if it is missing, null or of another type. */
  text(name: string): string | null {
    const member = this.json(name);
    return member?.text.startsWith('"') ? (JSON.parse(member.text) as string) : null;
  }

  /**
   * Returns the member's string.
   * @throws SyntaxError if it is missing, null or of another type
   */
  required(name: string): string {
    const text = this.text(name);
    if (text === null) throw new SyntaxError(`the answer lacks ${name}`);
    return text;
  }

  /** Returns the member as a count or a port; 0 if it is missing. */
  number(name: string): number {
    return Number(this.json(name)?.text ?? 0);
  }

  /** Returns the elements of a member that is an array; empty if it is missing or null. */
  list(name: string): readonly JsonText[] {
    const member = this.json(name);
    return member ? elementsOf(member) : [];
  }

  /** Returns a member that is an object; null if it is missing or null. */
  object(name: string): Fields | null {
    const member = this.json(name);
    return member && new Fields(member);
  }

  /** Returns the members whose names are not in the list. */
  except(names: readonly string[]): Record<string, JsonText> {
    return Object.fromEntries([...this.#members].filter(([name]) => !names.includes(name)));
  }
}

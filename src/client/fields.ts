/** Reads members of a JSON object by name and kind; whatever is not read stays text. */
import type { JsonText } from '../model/json.ts';
import type { Piece } from './json-splitter.ts';
import { JsonSplitter } from './json-splitter.ts';

function split(json: JsonText, open: (path: readonly string[]) => boolean): readonly Piece[] {
  const splitter = new JsonSplitter(open);
  return [...splitter.push(json.text), ...splitter.end()];
}

/** The members of a JSON object in order, each as its own text; empty when it is not an object. */
export function membersOf(json: JsonText): ReadonlyMap<string, JsonText> {
  return new Map(membersIn(json));
}

/** The same as a list, in which a name may stand twice. */
export function membersIn(json: JsonText): readonly (readonly [string, JsonText])[] {
  if (!json.text.trimStart().startsWith('{')) return [];
  return split(json, (path) => path.length === 0).map(({ path, value }) => [path[0] ?? '', value]);
}

/** The elements of a JSON array, each as its own text; empty when it is not an array. */
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

  /** The member's own text; null when it is missing or null. */
  json(name: string): JsonText | null {
    const member = this.#members.get(name);
    return member === undefined || member.text === 'null' ? null : member;
  }

  /** The member as a text; null when it is missing, null or of another kind. */
  text(name: string): string | null {
    const member = this.json(name);
    return member?.text.startsWith('"') ? (JSON.parse(member.text) as string) : null;
  }

  /**
   * The member as a text that must be there.
   * @throws SyntaxError when it is not
   */
  required(name: string): string {
    const text = this.text(name);
    if (text === null) throw new SyntaxError(`the answer lacks ${name}`);
    return text;
  }

  /** The member as a count or a port; 0 when it is missing. */
  number(name: string): number {
    return Number(this.json(name)?.text ?? 0);
  }

  /** The elements of a member that is an array. */
  list(name: string): readonly JsonText[] {
    const member = this.json(name);
    return member ? elementsOf(member) : [];
  }

  /** A member that is an object; null when it is missing or null. */
  object(name: string): Fields | null {
    const member = this.json(name);
    return member && new Fields(member);
  }

  /** Every member whose name is not among the given ones. */
  except(names: readonly string[]): Record<string, JsonText> {
    return Object.fromEntries([...this.#members].filter(([name]) => !names.includes(name)));
  }
}

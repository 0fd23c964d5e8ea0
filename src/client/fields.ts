/** Reads members of a JSON object by name and type. Values that are not read remain text. */
import type { JsonText } from '../model/json.ts';
import { elementsOf, membersOf } from '../model/json-members.ts';

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

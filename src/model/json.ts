/**
 * JSON that PostgreSQL sent as text and that is sent on as text.
 * It is never parsed: that would round numbers beyond 2^53 and truncate microseconds.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type JsonValue =
  | JsonText
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

/** Checks whether a parsed JSON value is an object, not an array. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Serializes a value to JSON, with every JsonText verbatim. Members whose value is undefined are omitted. */
export function stringifyJson(value: JsonValue): string {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map((item) => stringifyJson(item)).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    let members = '';
    for (const [key, member] of Object.entries(value as JsonObject)) {
      if (member === undefined) continue;
      members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${stringifyJson(member)}`;
    }
    return `{${members}}`;
  }
  return JSON.stringify(value ?? null);
}

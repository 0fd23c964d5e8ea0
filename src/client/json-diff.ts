/** Finds the paths at which two JSON documents differ. Values remain text, so no number is rounded. */
import { JsonText } from '../model/json.ts';
import { elementsOf, membersIn } from '../model/json-members.ts';
import { nameCell } from './cell.ts';
import type { Value } from './values.ts';
import { isDocument } from './values.ts';

export interface JsonDifference {
  /** For example `a.b[2]`; empty for the whole document. */
  readonly path: string;
  /** Undefined if the path exists on the other side only. */
  readonly before: JsonText | undefined;
  readonly after: JsonText | undefined;
}

/** The depth below which documents are compared as a whole. */
const deepest = 12;

/** Lists the differences in the order of the documents. */
export function jsonDifferences(before: JsonText, after: JsonText): JsonDifference[] {
  return compare('', before, after, 0);
}

/** Lists the differences between two values that are documents; empty if one is not a document, or if only their formatting differs. */
export function differencesInside(
  before: Value | undefined,
  after: Value | undefined,
): JsonDifference[] {
  const [old, now] = [documentOf(before), documentOf(after)];
  return old === null || now === null ? [] : jsonDifferences(old, now);
}

/** Returns the document of a value, or null. A text must be a document, too: that of an array has bounds, which may differ. */
function documentOf(value: Value | undefined): JsonText | null {
  if (value === undefined || !nested.test(value.json.text)) return null;
  if (value.text === undefined) return value.json;
  return isDocument(value.text) ? new JsonText(value.text) : null;
}

const nested = /^\s*[{[]/;

function compare(
  path: string,
  before: JsonText | undefined,
  after: JsonText | undefined,
  depth: number,
): JsonDifference[] {
  if (before?.text === after?.text) return [];
  const [old, now] = [partsOf(before), partsOf(after)];
  if (old === null || now === null || old.kind !== now.kind || depth >= deepest) {
    return [{ path, before, after }];
  }
  const names = new Set([...old.parts.keys(), ...now.parts.keys()]);
  return [...names].flatMap((name) => {
    const inside = old.kind === '[' ? `${path}[${name}]` : joined(path, name);
    return compare(inside, old.parts.get(name), now.parts.get(name), depth + 1);
  });
}

const joined = (path: string, name: string) =>
  path === '' ? nameCell(name) : `${path}.${nameCell(name)}`;

interface Parts {
  readonly kind: '{' | '[';
  readonly parts: ReadonlyMap<string, JsonText>;
}

/** Returns the members or elements of a document; null for a scalar, and for an object with a duplicate member. */
function partsOf(value: JsonText | undefined): Parts | null {
  const kind = value?.text.trimStart()[0];
  if (value === undefined || (kind !== '{' && kind !== '[')) return null;
  if (kind === '{') {
    const members = membersIn(value);
    const parts = new Map(members);
    return parts.size === members.length ? { kind, parts } : null;
  }
  const elements = elementsOf(value).map((element, index) => [String(index), element] as const);
  return { kind, parts: new Map(elements) };
}

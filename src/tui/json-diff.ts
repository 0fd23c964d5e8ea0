/** Where two JSON documents differ, path by path. Values stay text: no number is rounded. */
import { nameCell } from '../client/cell.ts';
import { elementsOf, membersOf } from '../client/fields.ts';
import type { JsonText } from '../model/json.ts';

export interface JsonDifference {
  /** `a.b[2]`; empty for the whole document. */
  readonly path: string;
  /** Undefined where the path exists on one side only. */
  readonly before: JsonText | undefined;
  readonly after: JsonText | undefined;
}

/** Nobody reads more; and deeper documents are compared as wholes. */
const mostDifferences = 500;
const deepest = 12;

/** Lists the differences in the order of the documents. */
export function jsonDifferences(before: JsonText, after: JsonText): JsonDifference[] {
  return compare('', before, after, 0).slice(0, mostDifferences);
}

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

function partsOf(
  value: JsonText | undefined,
): { readonly kind: '{' | '['; readonly parts: ReadonlyMap<string, JsonText> } | null {
  const kind = value?.text.trimStart()[0];
  if (value === undefined || (kind !== '{' && kind !== '[')) return null;
  const parts =
    kind === '{'
      ? membersOf(value)
      : new Map(elementsOf(value).map((element, index) => [String(index), element]));
  return { kind, parts };
}

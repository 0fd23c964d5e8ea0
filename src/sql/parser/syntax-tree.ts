/** Reading PostgreSQL's raw parse trees generically: a node is `{ TypeName: fields }`, a field a node, a list, a struct, a scalar. */
import type { Node } from 'libpg-query';

/** The fields of a node or of a struct that a node holds. */
export type Fields = object;

/** Opens a node. Null for the empty object that stands for a missing list element. */
export function openNode(node: Node | Fields): { type: string; fields: Fields } | null {
  const type = Object.keys(node)[0];
  return type === undefined ? null : { type, fields: (node as Record<string, Fields>)[type] ?? {} };
}

/** Node types begin with a capital, names of fields never do. */
export function isNode(value: Fields): boolean {
  const key = Object.keys(value)[0];
  return key !== undefined && key >= 'A' && key < '[';
}

/** How many values of trees may be looked at. */
export interface Effort {
  left: number;
}

/**
 * Returns the fields of all nodes of one type in a tree, however deep it is.
 * @param effort what this takes is taken from it; what is left of the tree once nothing is left of it is not looked at
 */
export function collectNodes(
  root: unknown,
  type: string,
  effort: Effort = { left: Number.POSITIVE_INFINITY },
): Fields[] {
  const pending: unknown[] = [root];
  const found: Fields[] = [];
  while (pending.length > 0 && effort.left > 0) {
    const value = pending.pop();
    effort.left -= 1;
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, type)) found.push((value as Record<string, Fields>)[type] ?? {});
    for (const child of Object.values(value)) pending.push(child);
  }
  return found;
}

/** The texts of a list of String nodes, such as the parts of a name; other elements (`*`, `[1]`) are left out. */
export function textsOf(nodes: readonly Node[] | undefined): string[] {
  const texts: string[] = [];
  for (const node of nodes ?? []) {
    if ('String' in node) texts.push(node.String.sval ?? '');
  }
  return texts;
}

/** The text of a constant: a string, a number as written, or a truth value. Null for anything else, casts too: they change values. */
export function constantOf(node: Node | undefined): string | null {
  if (!node || !('A_Const' in node)) return null;
  const { sval, ival, fval, boolval } = node.A_Const;
  if (sval) return sval.sval ?? '';
  if (ival) return String(ival.ival ?? 0);
  if (fval) return fval.fval ?? '';
  return boolval ? String(boolval.boolval ?? false) : null;
}

/** Generic access to PostgreSQL's raw parse trees. A node is `{ TypeName: fields }`; a field is a node, a list, a struct or a scalar. */
import type { Node } from 'libpg-query';

/** The fields of a node or of a struct that a node holds. */
export type Fields = object;

/** Returns the type and fields of a node; null for the empty object that represents a missing list element. */
export function openNode(node: Node | Fields): { type: string; fields: Fields } | null {
  const type = Object.keys(node)[0];
  return type === undefined ? null : { type, fields: (node as Record<string, Fields>)[type] ?? {} };
}

/** Returns whether a value is a node. Node types begin with a capital letter, field names do not. */
export function isNode(value: Fields): boolean {
  const key = Object.keys(value)[0];
  return key !== undefined && key >= 'A' && key < '[';
}

/** The remaining number of tree values that may be visited. */
export interface Effort {
  left: number;
}

/**
 * Returns the fields of all nodes of one type in a tree of any depth.
 * @param effort reduced by one for each visited value; the search stops when it is used up
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

/** Returns the texts of the String nodes of a list, such as the parts of a name. It omits other elements (`*`, `[1]`). */
export function textsOf(nodes: readonly Node[] | undefined): string[] {
  const texts: string[] = [];
  for (const node of nodes ?? []) {
    if ('String' in node) texts.push(node.String.sval ?? '');
  }
  return texts;
}

/** Returns the text of a constant: a string, a number as written, or a truth value. Null for others, and for casts, which change values. */
export function constantOf(node: Node | undefined): string | null {
  if (!node || !('A_Const' in node)) return null;
  const { sval, ival, fval, boolval } = node.A_Const;
  if (sval) return sval.sval ?? '';
  if (ival) return String(ival.ival ?? 0);
  if (fval) return fval.fval ?? '';
  return boolval ? String(boolval.boolval ?? false) : null;
}

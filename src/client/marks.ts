/** A reviewer's marks of the changes that were seen. A mark is valid only while its change stays the same. */
import { createHash } from 'node:crypto';
import type { NumberedChange } from '../model/change.ts';

/** Keys of changes, each with the hash of the change as it was seen. */
export type Marks = ReadonlyMap<string, string>;

/** Returns the key of a change within its session. */
export const markKey = ({ table, number }: Pick<NumberedChange, 'table' | 'number'>) =>
  `${table}\n${number}`;

/** Returns a hash of a change's type and values. A change that becomes a different one loses its mark. */
export function witnessOf({ type, before, after, texts }: NumberedChange): string {
  const hash = createHash('sha256');
  const seen = [type, before?.text, after?.text];
  hash.update(JSON.stringify(texts === undefined ? seen : [...seen, texts.text]));
  return hash.digest('base64');
}

/** Returns whether a change was marked and is unchanged since. */
export function isMarked(marks: Marks, change: NumberedChange): boolean {
  const witness = marks.get(markKey(change));
  return witness !== undefined && witness === witnessOf(change);
}

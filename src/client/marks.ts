/** What a reviewer has seen: a mark names a change, and tells whether it is still the one that was looked at. */
import { createHash } from 'node:crypto';
import type { NumberedChange } from '../model/change.ts';

/** Keys of changes, each with the witness of what was seen. */
export type Marks = ReadonlyMap<string, string>;

/** Names a change within its session. */
export const markKey = ({ table, number }: Pick<NumberedChange, 'table' | 'number'>) =>
  `${table}\n${number}`;

/** A hash of both rows: a change that became another one since has lost its mark. */
export function witnessOf({ type, before, after, texts }: NumberedChange): string {
  const hash = createHash('sha256');
  const seen = [type, before?.text, after?.text];
  hash.update(JSON.stringify(texts === undefined ? seen : [...seen, texts.text]));
  return hash.digest('base64');
}

/** Whether a change was marked, and is still what it was then. */
export function isMarked(marks: Marks, change: NumberedChange): boolean {
  const witness = marks.get(markKey(change));
  return witness !== undefined && witness === witnessOf(change);
}

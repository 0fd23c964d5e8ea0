/** Marks of a reviewer: a change that became another one since has lost its mark. */
import { createHash } from 'node:crypto';
import type { NumberedChange } from '../model/change.ts';
import type { State } from './state.ts';
import { changeKey } from './state.ts';

/** A hash of both images. */
function witnessOf({ type, before, after }: NumberedChange): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([type, before?.text, after?.text]));
  return hash.digest('base64');
}

/** Whether a change was marked, and is still what it was then. */
export function isReviewed({ reviewed }: State, change: NumberedChange): boolean {
  const witness = reviewed.get(changeKey(change));
  return witness !== undefined && witness === witnessOf(change);
}

/** Marks changes, or takes the marks away where all of them have one. */
export function toggled(state: State, changes: readonly NumberedChange[]): State['reviewed'] {
  const reviewed = new Map(state.reviewed);
  const all = changes.every((change) => isReviewed(state, change));
  for (const change of changes) {
    if (all) reviewed.delete(changeKey(change));
    else reviewed.set(changeKey(change), witnessOf(change));
  }
  return reviewed;
}

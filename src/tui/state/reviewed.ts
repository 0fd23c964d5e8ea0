/** The reviewer's marks in the interface. */
import type { Marks } from '../../client/marks.ts';
import { isMarked, markKey, witnessOf } from '../../client/marks.ts';
import type { NumberedChange } from '../../model/change.ts';
import type { State } from './state.ts';

/** Returns whether a change was marked and is unchanged since. */
export function isReviewed({ reviewed }: State, change: NumberedChange): boolean {
  return isMarked(reviewed, change);
}

/** Marks changes, or removes the marks if all of them have one. */
export function toggled(state: State, changes: readonly NumberedChange[]): Marks {
  const reviewed = new Map(state.reviewed);
  const all = changes.every((change) => isReviewed(state, change));
  for (const change of changes) {
    if (all) reviewed.delete(markKey(change));
    else reviewed.set(markKey(change), witnessOf(change));
  }
  return reviewed;
}

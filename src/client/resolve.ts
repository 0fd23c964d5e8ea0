/** Reads the answer to a request that settles conflicts. */
import type { Conflict } from '../model/change.ts';
import type { JsonText } from '../model/json.ts';
import type { Session } from '../model/session.ts';
import { readConflict, readSession } from './decode.ts';
import { Fields } from './fields.ts';

export type Side = 'mine' | 'theirs';

/** A row, or a column of it, whose conflicts are settled. */
export interface ConflictChoice {
  readonly table: string;
  /** A key as JSON. */
  readonly rowId: JsonText;
  readonly field?: string | undefined;
  /** What production has there, as it was seen: refused where it has something else by now. */
  readonly productionCurrent?: JsonText | undefined;
}

export interface ResolveReport {
  readonly session: Session;
  readonly resolved: readonly Conflict[];
  /** What still is in conflict. */
  readonly left: readonly Conflict[];
}

export function readResolved(json: JsonText): ResolveReport {
  const fields = new Fields(json);
  return {
    session: readSession(json),
    resolved: fields.list('resolved').map(readConflict),
    left: fields.list('conflicts').map(readConflict),
  };
}

/** `1 settled, 2 left.` */
export const settledInWords = ({ resolved, left }: ResolveReport) =>
  `${resolved.length} settled, ${left.length} left.`;

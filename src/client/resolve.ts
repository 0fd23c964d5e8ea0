/** Reads the response to a request that resolves conflicts. */
import type { Conflict } from '../model/change.ts';
import type { JsonText } from '../model/json.ts';
import type { Session } from '../model/session.ts';
import { readConflict, readSession } from './decode.ts';
import { Fields } from './fields.ts';

export type Side = 'mine' | 'theirs';

/** A row, or a column of it, whose conflicts are resolved. */
export interface ConflictChoice {
  readonly table: string;
  /** The key of a row as JSON. */
  readonly rowId: JsonText;
  readonly field?: string | undefined;
  /** The value that the reviewer saw in production. The request is refused if production now has another one. */
  readonly productionCurrent?: JsonText | undefined;
}

export interface ResolveReport {
  readonly session: Session;
  readonly resolved: readonly Conflict[];
  /** The remaining conflicts. */
  readonly left: readonly Conflict[];
}

/** Converts the conflicts to resolve to members of a request. @param choice null for all conflicts */
export function resolveBody(take: Side, choice: ConflictChoice | null) {
  if (choice === null) return { all: take };
  const { table, rowId, field, productionCurrent } = choice;
  return {
    resolutions: [{ table, row_id: rowId, field, take, production_current: productionCurrent }],
  };
}

export function readResolved(json: JsonText): ResolveReport {
  const fields = new Fields(json);
  return {
    session: readSession(json),
    resolved: fields.list('resolved').map(readConflict),
    left: fields.list('conflicts').map(readConflict),
  };
}

/** Returns `1 settled, 2 left.` */
export const settledInWords = ({ resolved, left }: ResolveReport) =>
  `${resolved.length} settled, ${left.length} left.`;

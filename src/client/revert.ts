/** Reads the response to a revert. */
import type { Conflict } from '../model/change.ts';
import type { JsonText } from '../model/json.ts';
import type { Session } from '../model/session.ts';
import { readConflict, readSession } from './decode.ts';
import { Fields } from './fields.ts';

export interface RevertReport {
  readonly session: Session;
  /** The conflicts of the rows that were left out. */
  readonly skipped: readonly Conflict[];
}

export function readRevert(json: JsonText): RevertReport {
  return {
    session: readSession(json),
    skipped: new Fields(json).list('skipped').map(readConflict),
  };
}

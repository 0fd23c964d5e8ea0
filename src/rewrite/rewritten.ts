/** A statement as it is to be sent. */
import type { RefusedWhen } from '../server-connection/prepared-statements.ts';
import type { Definition } from './definition.ts';
import type { SplicedBody } from './spliced-body.ts';

export interface Rewrite extends Omit<SplicedBody, 'options'> {
  /** The names with their assumed meanings, as JSON, which `stage.begin_statement` verifies. */
  readonly relations: string;
  /** For each of them the function that returns its table's stamp, or null. */
  readonly stamps: readonly (string | null)[];
  /** Settings for the statement's triggers, as JSON. */
  readonly options: string;
  /** Whether it may run code of the database's users. */
  readonly hasTripwire: boolean;
  /** Set for a command that defines temporary tables; null for a staged write. */
  readonly definition: Definition | null;
  /** Whether its rows are staged as a set. If that fails, they must be staged row by row. */
  readonly isSet: boolean;
  /** Whether the same text is rewritten in the same way until names have other meanings. */
  readonly isLasting: boolean;
  /** The search path under which the names were resolved. */
  readonly path: string | null;
  /** The version of the names from which it was derived. */
  readonly version: number;
}

/** Returns whether a write is refused. */
export const isRefused = <Made extends object>(made: Made | RefusedWhen): made is RefusedWhen =>
  typeof made === 'string';

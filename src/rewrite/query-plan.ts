/** The plan for the handling of a query text. */
import type { UnclearCall } from '../sql/functions/calls.ts';
import type { Refusal } from '../sql/refusal.ts';
import type { Statement } from '../sql/verdict.ts';

/** The properties of a text that decide whether it can pass, and how. */
export interface TextClass {
  /** The refusal of the first refused statement; none of the statements may run then. */
  readonly refusal: Refusal | null;
  /** Whether it can be sent in one piece, because it contains only reads and harmless commands. */
  readonly passes: boolean;
  /** The text to send when it passes, with replacements made; null if it is sent as received. */
  readonly passingText: Buffer | null;
  /** The number of statements that run queries, which need a read-only savepoint where writing is possible. */
  readonly reads: number;
  /** Whether a statement changes settings, which must not run in a read-only savepoint. */
  readonly hasSettings: boolean;
  /** Whether it reads relations or calls functions, so the text depends on the connection's read mode. */
  readonly hasNames: boolean;
  /** Whether names may resolve differently afterwards. */
  readonly changesPath: boolean;
  /** Whether it declares a cursor WITH HOLD, which must not pass inside of a block. */
  readonly declaresHold: boolean;
  /** Calls of reads for which only the catalog shows whether they are allowed. */
  readonly unclear: readonly UnclearCall[];
}

export interface QueryPlan extends TextClass {
  /** The client's whole text. It is shared, so it must not be modified. */
  readonly text: Buffer;
  readonly statements: readonly Statement[];
}

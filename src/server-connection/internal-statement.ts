/** The types of an internal statement and of the handlers for its response. */
import type { ErrorFields } from '../wire/error-fields.ts';
import type { ErrorHandler } from './pending-response.ts';
import type { UpstreamText } from './upstream-text.ts';

export interface InternalStatement {
  readonly text: string | UpstreamText;
  readonly types?: readonly number[];
}

export interface InternalCall {
  readonly values?: readonly (Buffer | null)[];
  /** One format for each value; all text by default. */
  readonly formats?: readonly number[];
  readonly onError?: ErrorHandler;
  /** Returns the client's notice for a notice of the server; null, which is the default, for none. */
  readonly onNotice?: (fields: ErrorFields) => Buffer | null;
  readonly onRow?: (payload: Buffer) => void;
  readonly onDone?: () => void;
  /** Called when the statement has failed or was skipped. */
  readonly onFailure?: () => void;
}

/** Runs an internal statement at once, and returns its rows. */
export type ServerQuery = (
  statement: InternalStatement,
  values: NonNullable<InternalCall['values']>,
) => Promise<(Buffer | null)[][]>;

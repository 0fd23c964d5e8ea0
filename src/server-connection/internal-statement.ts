/** A statement of the proxy's own, and what is to become of its answer. */
import type { ErrorFields } from '../wire/error-fields.ts';
import type { ErrorHandler } from './pending-response.ts';
import type { UpstreamText } from './upstream-text.ts';

export interface InternalStatement {
  readonly text: string | UpstreamText;
  readonly types?: readonly number[];
}

export interface InternalCall {
  readonly values?: readonly (Buffer | null)[];
  /** One for each value; all text by default. */
  readonly formats?: readonly number[];
  readonly onError?: ErrorHandler;
  /** Gives what the client is shown of a notice: nothing by default. */
  readonly onNotice?: (fields: ErrorFields) => Buffer | null;
  readonly onRow?: (payload: Buffer) => void;
  readonly onDone?: () => void;
}

/** Runs a statement of ours now, and gives its rows. */
export type Ask = (
  statement: InternalStatement,
  values: NonNullable<InternalCall['values']>,
) => Promise<(Buffer | null)[][]>;

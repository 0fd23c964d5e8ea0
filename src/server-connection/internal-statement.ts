/** A statement of the proxy's own, and what is to become of its answer. */
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
  readonly onRow?: (payload: Buffer) => void;
  readonly onDone?: () => void;
}

/** Runs a statement of ours now, and gives its rows. */
export type Ask = (
  statement: InternalStatement,
  values: NonNullable<InternalCall['values']>,
) => Promise<(Buffer | null)[][]>;

/** A statement of the proxy's own, and what is to become of its answer. */
import type { ErrorHandler } from './expectation.ts';
import type { UpstreamText } from './upstream-text.ts';

export interface OwnStatement {
  readonly text: string | UpstreamText;
  readonly types?: readonly number[];
}

export interface OwnCall {
  readonly values?: readonly (Buffer | null)[];
  /** One for each value; all text by default. */
  readonly formats?: readonly number[];
  readonly onError?: ErrorHandler;
  readonly onRow?: (payload: Buffer) => void;
  readonly onDone?: () => void;
}

/** Runs a statement of ours now, and gives its rows. */
export type Ask = (
  statement: OwnStatement,
  values: NonNullable<OwnCall['values']>,
) => Promise<(Buffer | null)[][]>;

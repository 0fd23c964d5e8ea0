/** The process as the command line sees it; everything it reads from or writes to the outside comes through here. */
import type { Readable, Writable } from 'node:stream';

type MaybeTerminal = { readonly isTTY?: boolean; readonly columns?: number };

/** Node's own `process` is one; so is what a test makes up. */
export interface Host {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & MaybeTerminal;
  readonly stdout: Writable & MaybeTerminal;
  readonly stderr: Writable & MaybeTerminal;
  cwd(): string;
  on(signal: 'SIGINT', listener: () => void): unknown;
  off(signal: 'SIGINT', listener: () => void): unknown;
}

/** The process as the command line sees it. All input and output goes through it. */
import type { Readable, Writable } from 'node:stream';

type MaybeTerminal = {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** The interface to the process. Node's `process` implements it, and tests supply their own. */
export interface Host {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & MaybeTerminal & { setRawMode?(raw: boolean): unknown };
  readonly stdout: Writable & MaybeTerminal;
  readonly stderr: Writable & MaybeTerminal;
  cwd(): string;
  readonly pid: number;
  readonly on: Listening;
  readonly off: Listening;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

type Listening = {
  (signal: NodeJS.Signals, listener: () => void): unknown;
  (event: 'exit', listener: () => void): unknown;
  (event: 'uncaughtExceptionMonitor', listener: () => void): unknown;
};

/** The context of a command: the process, the output, the shared options, and access to the daemon. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { ApiClient } from '../client/api-client.ts';
import type { Host } from './host.ts';
import { interruptible } from './interrupt.ts';
import type { Output } from './output/output.ts';
import type { ClientSettings, SharedOptions } from './settings.ts';
import { readSettings } from './settings.ts';

export interface Context {
  readonly host: Host;
  readonly out: Output;
  readonly options: SharedOptions;
  /** The tree of commands. */
  readonly program: Command;
}

/** A connection to the daemon, for the duration of a command. */
export interface Connection {
  readonly api: ApiClient;
  readonly settings: ClientSettings;
  readonly interruption: AbortController;
}

/** Runs work with a client of the daemon. Ctrl-C ends the work. The client is always closed. */
export async function withServer<T>(
  context: Context,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const settings = await readSettings(context.host, context.options);
  // undici is slow to load, and help does not need it
  const { ApiClient } = await import('../client/api-client.ts');
  return interruptible(context.host, async (interruption) => {
    const api = new ApiClient({ ...settings, signal: interruption.signal });
    try {
      return await work({ api, settings, interruption });
    } finally {
      await api.close();
    }
  });
}

/** Returns the default approver: without a token the account's name. With one it is undefined, and the daemon uses the token's name. */
export function approverOf({ settings }: Pick<Connection, 'settings'>): string | undefined {
  return settings.token === null ? userInfo().username : undefined;
}

/** Writes a line to stderr if --verbose is set. */
export async function explain(context: Context, text: string): Promise<void> {
  if (context.options.verbose) await context.out.note(text);
}

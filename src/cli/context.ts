/** What every command is given: the outside, the output, the options that all commands share, and the way to the daemon. */
import { userInfo } from 'node:os';
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
}

/** A connection to the daemon while a command uses it. */
export interface Connection {
  readonly api: ApiClient;
  readonly settings: ClientSettings;
  readonly interruption: AbortController;
}

/** Runs work with a client of the daemon; Ctrl-C ends it, and whatever happens the client is closed. */
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

/** Who approves where nobody is named: with a token the daemon takes its name, else it is told that of the account. */
export function approverOf({ settings }: Pick<Connection, 'settings'>): string | undefined {
  return settings.token === null ? userInfo().username : undefined;
}

/** Writes to stderr what --verbose asks for. */
export async function explain(context: Context, text: string): Promise<void> {
  if (context.options.verbose) await context.out.note(text);
}

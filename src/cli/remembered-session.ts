/**
 * Stores the session that `session new` or `session use` chose for a directory in the user's state directory. The id is its only secret.
 */
import { createHash } from 'node:crypto';
import { readState, removeState, stateFile, writeState } from '../config/state-file.ts';
import type { Host } from './host.ts';

interface Remembered {
  readonly directory: string;
  readonly server: string;
  readonly session: string;
}

/** Returns the session chosen in the current directory for this server; null if there is none. */
export async function rememberedSession(host: Host, server: string): Promise<string | null> {
  const text = readState(sessionFile(host, server));
  if (text === null) return null;
  try {
    return (JSON.parse(text) as Partial<Remembered>).session ?? null;
  } catch {
    return null;
  }
}

/** Makes a session the default of commands in the current directory. */
export async function rememberSession(host: Host, server: string, session: string): Promise<void> {
  const file = sessionFile(host, server);
  const content: Remembered = { directory: host.cwd(), server, session };
  writeState(file, JSON.stringify(content));
}

/** Forgets a deleted session, unless another one was chosen meanwhile. */
export async function forgetSession(host: Host, server: string, session: string): Promise<void> {
  if ((await rememberedSession(host, server)) === session) removeState(sessionFile(host, server));
}

/** Returns the file of a directory and server. Each has its own, so no file grows. */
function sessionFile(host: Host, server: string): string | null {
  const name = createHash('sha256').update(`${host.cwd()}\0${server}`).digest('hex').slice(0, 32);
  return stateFile(host.env, 'sessions', name);
}

/** The session that `session new` and `session use` chose for a directory, kept in the user's state directory. Holds no secret but its id. */
import { createHash } from 'node:crypto';
import { readState, removeState, stateFile, writeState } from '../config/state-file.ts';
import type { Host } from './host.ts';

interface Remembered {
  readonly directory: string;
  readonly server: string;
  readonly session: string;
}

/** Gives the session chosen in the current directory on this server; null when there is none. */
export async function rememberedSession(host: Host, server: string): Promise<string | null> {
  const text = readState(sessionFile(host, server));
  if (text === null) return null;
  try {
    return (JSON.parse(text) as Partial<Remembered>).session ?? null;
  } catch {
    return null;
  }
}

/** Makes a session the one that commands in the current directory mean. */
export async function rememberSession(host: Host, server: string, session: string): Promise<void> {
  const file = sessionFile(host, server);
  const content: Remembered = { directory: host.cwd(), server, session };
  writeState(file, JSON.stringify(content));
}

/** Forgets a session that is gone; another one that was chosen meanwhile stays. */
export async function forgetSession(host: Host, server: string, session: string): Promise<void> {
  if ((await rememberedSession(host, server)) === session) removeState(sessionFile(host, server));
}

/** One small file a directory and server: nothing to grow. */
function sessionFile(host: Host, server: string): string | null {
  const name = createHash('sha256').update(`${host.cwd()}\0${server}`).digest('hex').slice(0, 32);
  return stateFile(host.env, 'sessions', name);
}

/** The session that `session new` and `session use` chose for a directory, kept in the user's state directory. Holds no secret but its id. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { Host } from './host.ts';

interface Remembered {
  readonly directory: string;
  readonly server: string;
  readonly session: string;
}

/** Gives the session chosen in the current directory on this server; null when there is none. */
export async function rememberedSession(host: Host, server: string): Promise<string | null> {
  const text = await readFile(stateFile(host, server), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return (JSON.parse(text) as Partial<Remembered>).session ?? null;
  } catch {
    return null;
  }
}

/** Makes a session the one that commands in the current directory mean. */
export async function rememberSession(host: Host, server: string, session: string): Promise<void> {
  const file = stateFile(host, server);
  const content: Remembered = { directory: host.cwd(), server, session };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${randomUUID()}`;
  await writeFile(fresh, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  await rename(fresh, file);
}

/** Forgets a session that is gone; another one that was chosen meanwhile stays. */
export async function forgetSession(host: Host, server: string, session: string): Promise<void> {
  if ((await rememberedSession(host, server)) === session)
    await rm(stateFile(host, server), { force: true });
}

/** One small file a directory and server: nothing to lock, nothing to grow. */
function stateFile(host: Host, server: string): string {
  const stateHome = host.env['XDG_STATE_HOME'];
  const base =
    stateHome && isAbsolute(stateHome)
      ? stateHome
      : join(host.env['HOME'] ?? homedir(), '.local', 'state');
  const name = createHash('sha256').update(`${host.cwd()}\0${server}`).digest('hex').slice(0, 32);
  return join(base, 'stage', 'sessions', `${name}.json`);
}

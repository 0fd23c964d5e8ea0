/** Small files in the user's state directory, for the user alone: written whole, so that there is nothing to lock. */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { Host } from './host.ts';

/** Gives the path of a file. */
export function stateFile(host: Host, folder: string, name: string): string {
  const stateHome = host.env['XDG_STATE_HOME'];
  const base =
    stateHome && isAbsolute(stateHome)
      ? stateHome
      : join(host.env['HOME'] ?? homedir(), '.local', 'state');
  return join(base, 'stage', folder, `${name}.json`);
}

export async function writeState(file: string, json: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${randomUUID()}`;
  await writeFile(fresh, `${json}\n`, { mode: 0o600 });
  await rename(fresh, file);
}

export async function removeState(file: string): Promise<void> {
  await rm(file, { force: true });
}

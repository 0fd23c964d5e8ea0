/** Processes of other people's programs, with what they have started. */
import { readdir, readFile } from 'node:fs/promises';

/** Returns a process and all that it has started, itself first. */
export async function withDescendants(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // the name of the program, in brackets, may contain anything
    parents.set(Number(name), Number(text.slice(text.lastIndexOf(')')).split(' ')[2]));
  }
  const found = [pid];
  for (const each of found)
    found.push(...[...parents].filter(([, parent]) => parent === each).map(([child]) => child));
  return found;
}

/** Sends a signal to processes, of which some may have ended. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // it has ended
    }
  }
}

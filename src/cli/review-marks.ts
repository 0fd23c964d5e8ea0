/** Stores a reviewer's marks of a session in the user's state directory: hashes, no values. */
import { createHash } from 'node:crypto';
import type { Marks } from '../client/marks.ts';
import { readState, removeState, stateFile, writeState } from '../config/state-file.ts';
import type { Host } from './host.ts';

/** The maximum number of marks that are stored; nobody reviews more changes one by one. */
const most = 100_000;

/** Reads the marks of a session; empty if there are none or they cannot be read. */
export async function readMarks(host: Host, server: string, session: string): Promise<Marks> {
  try {
    const text = readState(marksFile(host, server, session));
    return new Map(JSON.parse(text ?? '[]') as [string, string][]);
  } catch {
    return new Map();
  }
}

/** Stores the marks of a session. */
export async function saveMarks(
  host: Host,
  server: string,
  session: string,
  marks: Marks,
): Promise<void> {
  const file = marksFile(host, server, session);
  if (marks.size === 0) removeState(file);
  else writeState(file, JSON.stringify([...marks].slice(-most)));
}

function marksFile(host: Host, server: string, session: string): string | null {
  const name = createHash('sha256').update(`${session}\0${server}`).digest('hex').slice(0, 32);
  return stateFile(host.env, 'reviews', name);
}

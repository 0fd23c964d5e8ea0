/** The protocol over standard input and output: one client, for as long as its pipe is open. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Place } from './server.ts';
import { createMcpServer } from './server.ts';

/** A longer message ends the connection; a statement that is too long is answered by its tool. */
const maxMessageBytes = 32 * 1024 * 1024;

export interface Pipes {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly signal: AbortSignal;
}

/** Serves until the client closes its end. */
export async function serveOverStdio(
  place: Place,
  { stdin, stdout, signal }: Pipes,
): Promise<void> {
  const ended = Promise.race([once(stdin, 'end', { signal }), once(stdin, 'close', { signal })]);
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: maxMessageBytes });
  const handle = serveStdio(() => createMcpServer(place), { transport });
  try {
    await ended;
  } finally {
    await handle.close();
  }
}

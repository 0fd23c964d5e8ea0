/** Serves the protocol over standard input and output, to one client, until its pipe is closed. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Connected } from './server.ts';
import { createMcpServer } from './server.ts';

/** The length beyond which a message ends the connection. A statement that is too long gets a response of its tool. */
const maxMessageBytes = 32 * 1024 * 1024;

export interface Pipes {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly signal: AbortSignal;
}

/** Serves until the client closes its end. */
export async function serveOverStdio(
  place: Connected,
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

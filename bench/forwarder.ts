/**
 * The minimal proxy in Node: it forwards the bytes of each side to the other, and parses none. Its cost is that of Node and the system, as
 * this project uses them. As a program it takes the upstream's address as JSON, and prints its port.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo, NetConnectOpts } from 'node:net';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseUpstream } from '../src/client-connection/upstream-target.ts';
import { readPieces } from '../src/server-connection/socket-reader.ts';
import type { ReadTarget } from './reads.ts';

const program = fileURLToPath(import.meta.url);

export interface Forwarder {
  readonly target: ReadTarget & { readonly pid: number };
  stop(): Promise<void>;
}

/** Starts one before the given server, in a separate process, on a free port. */
export async function startForwarder(server: string): Promise<Forwarder> {
  const upstream = JSON.stringify(parseUpstream(server).address);
  const child = spawn(process.execPath, [program, upstream], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const url = new URL(server);
  url.host = `127.0.0.1:${String(port).trim()}`;
  return {
    target: { name: 'forwarder', url: url.href, pid: child.pid ?? 0 },
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

if (process.argv[1] === program) forward(JSON.parse(process.argv[2] ?? '') as NetConnectOpts);

function forward(upstream: NetConnectOpts): void {
  const options = { noDelay: true, pauseOnConnect: true };
  const server = createServer(options, (client) => {
    const other = connect({ ...upstream, noDelay: true } as NetConnectOpts, () => {
      other.pause();
      for (const [from, to] of [
        [client, other],
        [other, client],
      ] as const) {
        readPieces(from, (piece) => to.write(piece));
        from.on('end', () => to.end()).resume();
      }
    });
    client.on('error', () => other.destroy());
    other.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  });
}

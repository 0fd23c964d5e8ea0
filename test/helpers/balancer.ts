/** A minimal TCP balancer. It passes connections to the servers in turn, or all to one, and skips servers that refuse them. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export interface Balancer {
  readonly port: number;
  /** Passes every connection to one server first, as a balancer does that goes by the client's address; null: in turn. */
  prefer(index: number | null): void;
  stop(): Promise<void>;
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  let preferred: number | null = null;
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (client) => {
    const first = preferred ?? turn++ % ports.length;
    const order = ports.map((_, index) => ports[(first + index) % ports.length] as number);
    sockets.add(client.on('error', () => undefined));
    void openFirst(order).then((upstream) => {
      if (upstream === null) return client.destroy();
      sockets.add(upstream.on('error', () => undefined));
      upstream.on('close', () => client.destroy());
      client.on('close', () => upstream.destroy());
      return client.pipe(upstream).pipe(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    prefer: (index) => {
      preferred = index;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function openFirst(ports: readonly number[]): Promise<Socket | null> {
  for (const port of ports) {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (isOpen) return socket;
  }
  return null;
}

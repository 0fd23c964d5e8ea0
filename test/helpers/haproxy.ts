/** HAProxy in front of daemons on this machine, with the shipped configuration. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { demandProgram, startProcess } from './program.ts';
import { until } from './until.ts';

const program = '/usr/sbin/haproxy';

export interface Haproxy {
  readonly restPort: number;
  readonly proxyPort: number;
  stop(): Promise<void>;
}

/** The ports of a daemon on this machine. */
interface Served {
  readonly restUrl: string;
  readonly proxyPort: number;
}

/**
 * Starts HAProxy. The caller stops it.
 * @throws MissingProgram if it is not installed
 */
export async function startHaproxy(daemons: readonly Served[]): Promise<Haproxy> {
  await demandProgram(program);
  const ports = { rest: await freePort(), proxy: await freePort() };
  const shipped = await readFile('templates/service/haproxy.cfg', 'utf8');
  const directory = await mkdtemp(join(tmpdir(), 'stage-haproxy-'));
  const file = join(directory, 'haproxy.cfg');
  await writeFile(file, adapted(shipped, daemons, ports));
  const { child, kill } = startProcess(program, ['-f', file, '-db']);
  await until(() => isOpen(ports.proxy, child));
  return {
    restPort: ports.rest,
    proxyPort: ports.proxy,
    stop: async () => {
      await kill();
      await rm(directory, { recursive: true });
    },
  };
}

/** Returns the shipped configuration with the addresses of this machine and the ports of each daemon. All else is unchanged. */
function adapted(
  shipped: string,
  daemons: readonly Served[],
  ports: { readonly rest: number; readonly proxy: number },
): string {
  const restPort = (number: string) => new URL(daemons[Number(number) - 1]?.restUrl ?? '').port;
  return shipped
    .replace('bind :5433', `bind 127.0.0.1:${ports.proxy}`)
    .replace('bind :8080', `bind 127.0.0.1:${ports.rest}`)
    .replace(/server stage(\d) \S+:(5433|8080)/g, (_, number: string, port: string) => {
      const served = port === '8080' ? restPort(number) : daemons[Number(number) - 1]?.proxyPort;
      return `server stage${number} 127.0.0.1:${served} port ${restPort(number)}`;
    });
}

async function isOpen(port: number, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error('haproxy has ended');
  const socket = connect({ host: '127.0.0.1', port });
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isConnected;
}

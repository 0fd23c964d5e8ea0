/** A node of a Patroni cluster: PostgreSQL and the Patroni that manages it, with a path of its own to its clients and to etcd. */
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FaultProxy } from '../../helpers/fault-proxy.ts';
import { startFaultProxy } from '../../helpers/fault-proxy.ts';
import { freePort } from '../../helpers/free-port.ts';
import type { Account, Process } from '../../helpers/program.ts';
import { startProcess } from '../../helpers/program.ts';
import { signal, withDescendants } from './processes.ts';

const installation = '/usr/lib/postgresql/15/bin';
export const program = '/usr/bin/patroni';

/** The superuser's password. */
export const password = 'secret';

/** How long Patroni may take to answer before it counts as not running. */
const longestAnswerMs = 500;

export interface Node {
  readonly name: string;
  readonly restPort: number;
  /** The way of clients to its PostgreSQL. */
  readonly clients: FaultProxy;
  /** Its way to etcd. */
  readonly etcd: FaultProxy;
  /** Returns whether Patroni says that it is the primary. */
  isPrimary(): Promise<boolean>;
  /** Signals PostgreSQL with all of its backends, and Patroni too unless only PostgreSQL is meant. */
  strike(name: NodeJS.Signals, only?: 'postgres'): Promise<void>;
  /** Starts Patroni if it does not run. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function openNode(
  name: string,
  directory: string,
  account: Account,
  etcdPort: number,
): Promise<Node> {
  const ports = { postgres: await freePort(), rest: await freePort() };
  const etcd = await startFaultProxy({ host: '127.0.0.1', port: etcdPort });
  const clients = await startFaultProxy({ host: '127.0.0.1', port: ports.postgres });
  const home = join(directory, name);
  const data = join(home, 'data');
  await mkdir(home);
  await chown(home, account.uid, account.gid);
  const file = join(home, 'patroni.json');
  // JSON is YAML
  await writeFile(file, JSON.stringify(configuration(name, home, ports, etcd.port)));
  let patroni: Process | null = null;
  const postmaster = async () => {
    const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number.parseInt(text, 10);
    return Number.isNaN(pid) ? [] : withDescendants(pid);
  };
  const strike = async (sent: NodeJS.Signals, only?: 'postgres') => {
    // Patroni would start PostgreSQL again
    if (only === undefined && patroni) signal([patroni.child.pid ?? 0], sent);
    signal(await postmaster(), sent);
    if (sent === 'SIGKILL' && only === undefined) patroni = null;
  };
  return {
    name,
    restPort: ports.rest,
    clients,
    etcd,
    isPrimary: async () => {
      const url = `http://127.0.0.1:${ports.rest}/primary`;
      const signal = AbortSignal.timeout(longestAnswerMs);
      return (await fetch(url, { signal }).catch(() => null))?.status === 200;
    },
    strike,
    start: async () => {
      patroni ??= startProcess(program, [file], account);
    },
    stop: async () => {
      await strike('SIGKILL');
      await etcd.stop();
      await clients.stop();
    },
  };
}

/** Times of a cluster that fails over as fast as Patroni allows. */
const times = { ttl: 20, loop_wait: 1, retry_timeout: 3, primary_start_timeout: 0 };

function configuration(
  name: string,
  home: string,
  ports: { readonly postgres: number; readonly rest: number },
  etcdPort: number,
): object {
  const address = { listen: `127.0.0.1:${ports.postgres}` };
  const superuser = { username: 'postgres', password };
  const parameters = {
    ...{ max_connections: 200, wal_log_hints: 'on', wal_keep_size: '512MB', jit: 'off' },
    unix_socket_directories: home,
  };
  return {
    scope: 'stage',
    name,
    log: { dir: home },
    restapi: { listen: `127.0.0.1:${ports.rest}`, connect_address: `127.0.0.1:${ports.rest}` },
    // as proxies: Patroni would go past a path to the address that etcd tells
    etcd3: { hosts: [`127.0.0.1:${etcdPort}`], use_proxies: true },
    bootstrap: {
      dcs: {
        ...{ ...times, master_start_timeout: times.primary_start_timeout, synchronous_mode: true },
        postgresql: { use_pg_rewind: true, use_slots: true, parameters },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 md5',
        'host replication all 127.0.0.1/32 md5',
      ],
    },
    postgresql: {
      ...{ ...address, connect_address: address.listen, bin_dir: installation },
      data_dir: join(home, 'data'),
      pgpass: join(home, 'pgpass'),
      authentication: { superuser, replication: superuser, rewind: superuser },
    },
  };
}

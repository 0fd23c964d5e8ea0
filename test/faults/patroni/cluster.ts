/** Two nodes of PostgreSQL 15 under Patroni, which replicate synchronously, with etcd, and HAProxy in front of the primary. */
import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../helpers/free-port.ts';
import type { Account, Process } from '../../helpers/program.ts';
import { demandProgram, startProcess } from '../../helpers/program.ts';
import { until } from '../../helpers/until.ts';
import { patiently } from '../scene.ts';
import type { Node } from './node.ts';
import { openNode, password, program } from './node.ts';

const etcdProgram = '/usr/bin/etcd';
const haproxyProgram = '/usr/sbin/haproxy';

export interface Cluster {
  readonly nodes: readonly Node[];
  readonly etcd: Process;
  /** The superuser's URL through HAProxy. */
  readonly url: string;
  /** The hosts of an upstream that names both nodes. */
  readonly hosts: string;
  /** Returns the primary and the other node. */
  roles(): Promise<{ readonly leader: Node; readonly replica: Node }>;
  /** Lets the other node become the primary, as an administrator does. */
  switchOver(): Promise<void>;
  /** Waits until there is a primary whose commits wait for the other node. @throws Error if that takes too long */
  untilWhole(): Promise<void>;
  stop(): Promise<void>;
}

/** @throws MissingProgram if Patroni, etcd or HAProxy is not installed */
export async function startCluster(): Promise<Cluster> {
  for (const each of [program, etcdProgram, haproxyProgram]) await demandProgram(each);
  const directory = await mkdtemp(join(tmpdir(), 'stage-patroni-'));
  const account = await ownAccount();
  await chown(directory, account.uid, account.gid);
  const etcdPort = await freePort();
  const etcd = await startEtcd(directory, etcdPort);
  const nodes = [
    await openNode('one', directory, account, etcdPort),
    await openNode('two', directory, account, etcdPort),
  ];
  for (const node of nodes) await node.start();
  const haproxy = await startHaproxy(directory, nodes);
  const roles = async () => {
    const isPrimary = await Promise.all(nodes.map((node) => node.isPrimary()));
    const leader = nodes[isPrimary.indexOf(true)];
    const replica = nodes[isPrimary.indexOf(false)];
    return leader && replica ? { leader, replica } : null;
  };
  const whole = async () => {
    const found = (await membersOf(nodes)).map(({ role }) => role);
    return found.includes('leader') && found.includes('sync_standby') && (await roles()) !== null;
  };
  return {
    nodes,
    etcd,
    url: `postgresql://postgres:${password}@127.0.0.1:${haproxy.port}/postgres`,
    hosts: nodes.map(({ clients }) => `127.0.0.1:${clients.port}`).join(),
    roles: () => until(roles),
    switchOver: async () => {
      const { leader, replica } = await until(roles);
      await fetch(`http://127.0.0.1:${leader.restPort}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: leader.name, candidate: replica.name }),
      });
    },
    untilWhole: () =>
      patiently(async () => {
        if (!(await whole()))
          throw new Error(`not whole: ${JSON.stringify(await membersOf(nodes))}`);
      }, longestWholeMs),
    stop: async () => {
      await haproxy.process.kill();
      for (const node of nodes) await node.stop();
      await etcd.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** How long the cluster may take until both nodes are back. */
const longestWholeMs = 180_000;

interface Member {
  readonly role: string;
  readonly state: string;
}

/** Returns the nodes that run, as one of them knows. */
async function membersOf(nodes: readonly Node[]): Promise<readonly Member[]> {
  for (const { restPort } of nodes) {
    const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, {
      signal: AbortSignal.timeout(1000),
    }).catch(() => null);
    if (answer?.status !== 200) continue;
    const { members } = (await answer.json()) as { members: Member[] };
    return members.filter(({ state }) => state === 'running' || state === 'streaming');
  }
  return [];
}

async function startEtcd(directory: string, port: number): Promise<Process> {
  const peers = `http://127.0.0.1:${await freePort()}`;
  const clients = `http://127.0.0.1:${port}`;
  const options = {
    'data-dir': join(directory, 'etcd'),
    'listen-client-urls': clients,
    'advertise-client-urls': clients,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  return startProcess(etcdProgram, [...args, '--unsafe-no-fsync']);
}

/** Starts HAProxy as the documents of Patroni do: the node whose Patroni answers as the primary. */
async function startHaproxy(directory: string, nodes: readonly Node[]) {
  const port = await freePort();
  const file = join(directory, 'haproxy.cfg');
  const servers = nodes.map(
    ({ name, clients, restPort }) =>
      `  server ${name} 127.0.0.1:${clients.port} maxconn 400 check port ${restPort}`,
  );
  const text = `global
  maxconn 1000
defaults
  mode tcp
  retries 2
  timeout client 30m
  timeout connect 4s
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
  await writeFile(file, text);
  return { port, process: startProcess(haproxyProgram, ['-f', file, '-db']) };
}

/** Returns the account that runs PostgreSQL, which refuses to run as root. */
async function ownAccount(): Promise<Account> {
  const { uid, gid } = userInfo();
  if (uid !== 0) return { uid, gid };
  const id = async (flag: string) =>
    Number((await promisify(execFile)('id', [flag, 'postgres'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

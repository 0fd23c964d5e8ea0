/**
 * Faults of a synchronous pair under Patroni: nodes, PostgreSQL, etcd and paths die, freeze or fall silent, and another node becomes the
 * primary. One daemon knows both nodes, the other one is behind HAProxy.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { TestDatabase } from '../helpers/database.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import type { Arena } from './arena.ts';
import { harmedRound, takeAim } from './harm.ts';
import type { Cluster } from './patroni/cluster.ts';
import { startCluster } from './patroni/cluster.ts';
import type { Node } from './patroni/node.ts';
import { watchService } from './patroni/watch.ts';
import { openScene, patiently } from './scene.ts';

interface Fault {
  /** Breaks something. Returns what ends it. */
  strike(cluster: Cluster, leader: Node, replica: Node): Promise<() => Promise<unknown>>;
  /** How long it lasts. */
  readonly ms: number;
}

const nothing = () => Promise.resolve();

const faults = {
  switchover: { ms: 3_000, strike: async (cluster) => cluster.switchOver().then(() => nothing) },
  'primary killed': {
    ms: 3_000,
    strike: async (_, leader) => {
      await leader.strike('SIGKILL', 'postgres');
      return nothing;
    },
  },
  'node killed': {
    ms: 25_000,
    strike: async (_, leader) => {
      await leader.strike('SIGKILL');
      return () => leader.start();
    },
  },
  'node frozen': {
    ms: 30_000,
    strike: async (_, leader) => {
      await leader.strike('SIGSTOP');
      return () => leader.strike('SIGCONT');
    },
  },
  'primary without etcd': {
    ms: 30_000,
    strike: async (_, { etcd }) => {
      etcd.silence();
      return async () => etcd.restore();
    },
  },
  'etcd frozen': {
    ms: 15_000,
    strike: async ({ etcd: { child } }) => {
      child.kill('SIGSTOP');
      return async () => child.kill('SIGCONT');
    },
  },
  'path to the primary silent': {
    ms: 15_000,
    strike: async (_, { clients }) => {
      clients.silence();
      return async () => clients.restore();
    },
  },
  'standby killed': {
    ms: 10_000,
    strike: async (_, __, replica) => {
      await replica.strike('SIGKILL');
      return () => replica.start();
    },
  },
} as const satisfies Readonly<Record<string, Fault>>;
type FaultName = keyof typeof faults;
const faultNames = Object.keys(faults) as FaultName[];

/** The longest time that a daemon may be without service while clients reach a primary. */
const longestMs = 10_000;

export async function openStandby(): Promise<Arena> {
  const given = process.env['STAGE_TEST_UPSTREAM'];
  const cluster = await startCluster();
  await cluster.untilWhole().catch(async (error: unknown) => {
    await cluster.stop();
    throw error;
  });
  process.env['STAGE_TEST_UPSTREAM'] = cluster.url;
  const scene = await patiently(openScene);
  const settings = { maxConnections: 40 };
  const daemon = await spawnDaemon(ofBothNodes(cluster, scene.database), { settings });
  const daemons = { 'two hosts': daemon.restUrl, HAProxy: scene.healthy.restUrl };
  const aims = await takeAim(scene, daemon);
  const left = new Set<FaultName>();
  return {
    round: async (random) => {
      if (left.size === 0) for (const each of faultNames) left.add(each);
      const name = random.pick([...left]);
      left.delete(name);
      const fault: Fault = faults[name];
      const { leader, replica } = await cluster.roles();
      const watch = watchService(cluster, scene.database, daemons);
      let ended: Promise<unknown> = Promise.resolve();
      const outcome = await harmedRound(scene, daemon, random, aims, {
        label: `${name}, primary ${leader.name}`,
        strike: async () => {
          const end = await fault.strike(cluster, leader, replica);
          // responses are awaited meanwhile
          ended = delay(fault.ms).then(end);
          return [`  ${name}`];
        },
        mend: async () => {
          await ended;
          await cluster.untilWhole();
          await watch.untilReady();
        },
      });
      const awayMs = await watch.stop();
      const late = Object.entries(awayMs).filter(([, ms]) => ms > longestMs);
      const { leader: now } = await cluster.roles();
      return {
        label: `${outcome.label}, then ${now.name}; away for ms: ${JSON.stringify(awayMs)}`,
        counts: outcome.counts,
        anomalies: [...outcome.anomalies, ...late.map(([of, ms]) => `${of}: away for ${ms} ms`)],
      };
    },
    close: async () => {
      const wrong = await scene.verify();
      await daemon.kill();
      await scene.close();
      await cluster.stop();
      if (given === undefined) delete process.env['STAGE_TEST_UPSTREAM'];
      else process.env['STAGE_TEST_UPSTREAM'] = given;
      return wrong;
    },
  };
}

/** Returns the upstream that names both nodes. */
function ofBothNodes({ hosts }: Cluster, { url }: TestDatabase): string {
  const { username, password, pathname } = new URL(url);
  return `postgresql://${username}:${password}@${hosts}${pathname}?target_session_attrs=read-write`;
}

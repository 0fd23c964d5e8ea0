/** Faults of PostgreSQL itself: terminated backends, a crash, an immediate shutdown, refused connections; on a separate server. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Embedded } from '../../src/daemon/embedded/embedded.ts';
import { startEmbedded } from '../../src/daemon/embedded/embedded.ts';
import { createLog } from '../../src/log.ts';
import { anyCluster } from '../helpers/any-cluster.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { Random } from '../helpers/random.ts';
import { defaultMajor, findBinaries } from '../runner/server.ts';
import type { Arena } from './arena.ts';
import { harmedRound, takeAim } from './harm.ts';
import type { Scene } from './scene.ts';
import { openScene, patiently, targetOf } from './scene.ts';

const postgresFaults = ['terminate', 'kill', 'immediate', 'refuse'] as const;
type PostgresFault = (typeof postgresFaults)[number];

/** @param faults one of these is drawn each round; without those that end the server, the tests' shared server is used */
export async function openPostgresFaults(
  faults: readonly PostgresFault[] = postgresFaults,
): Promise<Arena> {
  const isOwn = faults.includes('kill') || faults.includes('immediate');
  const server = isOwn ? await startOwnServer() : null;
  const scene = await openScene();
  const flags = { maxConnections: 40 };
  const daemon = await startTestDaemon({ database: scene.database, flags });
  const aims = await takeAim(scene, targetOf(daemon));
  const isBack = async () => {
    for (const each of [daemon, scene.healthy])
      if ((await each.call('GET', '/readyz')).status !== 200) throw new Error('not ready');
  };
  return {
    round: (random) => {
      const fault = random.pick(faults);
      return harmedRound(scene, targetOf(daemon), random, aims, {
        label: fault,
        strike: async () => [`  ${fault}: ${await strike(fault, scene, server, random)}`],
        mend: () => patiently(isBack),
      });
    },
    close: async () => {
      const left = await scene.verify();
      await daemon.stop();
      await scene.close();
      await server?.stop();
      return left;
    },
  };
}

async function strike(
  fault: PostgresFault,
  { database }: Scene,
  server: OwnServer | null,
  random: Random,
): Promise<string> {
  if (fault === 'immediate') {
    await server?.restart();
    return 'done';
  }
  if (fault === 'refuse') {
    await onServer(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS false`);
    await onServer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`,
    );
    await delay(200 + random.below(2000));
    await onServer(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS true`);
    return 'done';
  }
  const backends = await onServer<{ pid: number; busy: boolean }>(
    `SELECT pid, state <> 'idle' AS busy FROM pg_stat_activity WHERE datname = '${database.name}'`,
  );
  const busy = backends.filter((backend) => backend.busy);
  const struck = busy.length > 0 ? busy : backends;
  if (fault === 'kill') process.kill(random.pick(struck).pid, 'SIGKILL');
  else for (const { pid } of struck) await onServer(`SELECT pg_terminate_backend(${pid})`);
  return `backends ${busy.length > 0 ? 'at work' : 'that were idle'}`;
}

async function onServer<T extends object>(text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: process.env['STAGE_TEST_UPSTREAM'] });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}

interface OwnServer {
  /** Ends it as fast as possible, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it, and creates the test databases on it from now on. Committed data survives its end. */
async function startOwnServer(): Promise<OwnServer> {
  const given = process.env['STAGE_TEST_UPSTREAM'];
  const directory = await mkdtemp(join(tmpdir(), 'stage-faults-'));
  const binaries = await findBinaries(process.env['STAGE_TEST_PG'] || defaultMajor);
  const start = (port = 0): Promise<Embedded> =>
    startEmbedded({
      clusters: anyCluster,
      directory,
      port,
      settings: { fsync: 'off', max_connections: '200' },
      log: createLog('silent', process.stderr),
      ...(binaries ? { binaries } : {}),
    });
  let server = await start();
  process.env['STAGE_TEST_UPSTREAM'] = server.url;
  return {
    restart: async () => {
      const pid = await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8');
      process.kill(Number.parseInt(pid, 10), 'SIGQUIT');
      await server.stop();
      server = await patiently(() => start(server.port));
    },
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
      if (given === undefined) delete process.env['STAGE_TEST_UPSTREAM'];
      else process.env['STAGE_TEST_UPSTREAM'] = given;
    },
  };
}

/** A primary and its physical standby, from an installation that has pg_basebackup. */
import { execFile } from 'node:child_process';
import { access, chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Embedded } from '../../src/daemon/embedded/embedded.ts';
import { startEmbedded } from '../../src/daemon/embedded/embedded.ts';
import { createLog } from '../../src/log.ts';
import { anyCluster } from './any-cluster.ts';
import { MissingProgram } from './suite.ts';
import { until } from './until.ts';

const installation = '/usr/lib/postgresql/15';
const settings = { fsync: 'off', jit: 'off', wal_level: 'replica', hot_standby: 'on' };

export interface ReplicatedPair {
  readonly primary: Embedded;
  readonly standby: Embedded;
  /** The upstream URL with both, the primary first. */
  readonly url: string;
  /** Stops the standby's replication. */
  cutOff(): Promise<void>;
  /** Starts the stopped primary again. It does not know what has happened since. */
  restartPrimary(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts both; the standby replicates. The caller stops them.
 * @throws MissingProgram if there is no such installation
 */
export async function startReplicatedPair(): Promise<ReplicatedPair> {
  await access(join(installation, 'bin', 'pg_basebackup')).catch(() => {
    throw new MissingProgram('pg_basebackup');
  });
  const directory = await mkdtemp(join(tmpdir(), 'stage-standby-'));
  // As root, the servers run under another account.
  await chmod(directory, 0o755);
  const start = (name: string, port = 0) =>
    startEmbedded({
      clusters: anyCluster,
      directory: join(directory, name),
      port,
      log: createLog('silent', process.stderr),
      settings,
      binaries: installation,
    });
  const primary = await start('one');
  await copy(primary, join(directory, 'one', 'data'), join(directory, 'two'));
  const standby = await start('two');
  let restarted: Embedded | null = null;
  const url = new URL(primary.url);
  const hosts = `${primary.host}:${primary.port},${standby.host}:${standby.port}`;
  return {
    primary,
    standby,
    url: `postgresql://${url.username}:${url.password}@${hosts}/postgres?target_session_attrs=read-write`,
    cutOff: () => cutOff(standby.url),
    restartPrimary: async () => {
      restarted = await start('one', primary.port);
    },
    stop: async () => {
      await Promise.all([primary.stop(), standby.stop(), restarted?.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function cutOff(standby: string): Promise<void> {
  const client = new pg.Client({ connectionString: standby });
  await client.connect();
  try {
    await client.query(`ALTER SYSTEM SET primary_conninfo = ''`);
    await client.query('SELECT pg_reload_conf()');
    await until(
      async () => (await client.query('SELECT FROM pg_stat_wal_receiver')).rows.length === 0,
    );
  } finally {
    await client.end();
  }
}

async function copy(primary: Embedded, from: string, to: string): Promise<void> {
  await mkdir(to);
  const run = promisify(execFile);
  const target = ['--pgdata', join(to, 'data'), '--write-recovery-conf', '--checkpoint=fast'];
  const args = [...target, '--no-sync', '--dbname', primary.url];
  await run(join(installation, 'bin', 'pg_basebackup'), args);
  const { uid, gid } = await stat(from);
  if (process.getuid?.() === 0) await run('chown', ['-R', `${uid}:${gid}`, to]);
}

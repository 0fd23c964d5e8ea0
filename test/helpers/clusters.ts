/** Clusters of a PostgreSQL that a distribution installed. They have pg_dump and pg_restore, which the embedded one lacks. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startEmbedded } from '../../src/daemon/embedded/embedded.ts';
import { createLog } from '../../src/log.ts';
import { anyCluster } from './any-cluster.ts';
import { MissingProgram } from './suite.ts';

const folder = '/usr/lib/postgresql';

/** The newest installation on the machine; null if there is none. */
const installation: string | null =
  majors()
    .map((major) => join(folder, major))
    .find((each) => hasPrograms(each)) ?? null;

function majors(): string[] {
  try {
    return readdirSync(folder).sort((a, b) => Number(b) - Number(a));
  } catch {
    return [];
  }
}

function hasPrograms(path: string): boolean {
  const programs = readdirSync(join(path, 'bin'));
  return ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every((name) => programs.includes(name));
}

export interface Cluster {
  /** Returns the superuser's URL for a database of the cluster. */
  urlOf(database: string): string;
  /** Runs SQL on a database of the cluster. */
  query<T = Record<string, unknown>>(database: string, text: string): Promise<T[]>;
  stop(): Promise<void>;
}

/**
 * Starts a new cluster of that installation. The caller stops it.
 * @throws MissingProgram if there is no installation
 */
export async function startCluster(): Promise<Cluster> {
  if (installation === null) throw new MissingProgram('PostgreSQL with pg_dump');
  const directory = await mkdtemp(join(tmpdir(), 'stage-cluster-'));
  const server = await startEmbedded({
    clusters: anyCluster,
    directory,
    log: createLog('silent', process.stderr),
    settings: { fsync: 'off', synchronous_commit: 'off', wal_level: 'logical', jit: 'off' },
    binaries: installation,
  });
  const urlOf = (database: string) => {
    const url = new URL(server.url);
    url.pathname = `/${database}`;
    return url.href;
  };
  return {
    urlOf,
    query: async <T>(database: string, text: string) => {
      const client = new pg.Client({ connectionString: urlOf(database) });
      await client.connect();
      try {
        return (await client.query(text)).rows as T[];
      } finally {
        await client.end();
      }
    },
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Dumps a database and restores it into another, which exists and is empty. The files are in a temporary folder. */
export async function dumpAndRestore(from: string, to: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'stage-dump-'));
  const file = join(directory, 'dump');
  try {
    await runProgram('pg_dump', ['--format=custom', `--file=${file}`, `--dbname=${from}`]);
    await runProgram('pg_restore', ['--exit-on-error', `--dbname=${to}`, file]);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Runs a program of the installation, and returns its output. Throws its error output if it fails. */
export async function runProgram(name: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(join(String(installation), 'bin', name), args, {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

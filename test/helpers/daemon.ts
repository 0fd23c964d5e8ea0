/** A complete daemon in this process: REST interface and proxy on free ports, with a new test database. */
import type { Config } from '../../src/config/load.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startDaemon } from '../../src/daemon/start.ts';
import type { ServiceFacts } from '../../src/model/service.ts';
import type { TestDatabase } from './database.ts';
import { createTestDatabase } from './database.ts';
import type { Answer, Sent } from './http.ts';
import { callHttp } from './http.ts';
import { until } from './until.ts';

export interface TestDaemon {
  readonly restUrl: string;
  readonly proxy: { readonly host: string; readonly port: number };
  readonly info: ServiceFacts;
  readonly database: TestDatabase;
  /** The lines of the log, level debug and above. */
  readonly logged: string[];
  /** Sends a request to the REST interface. */
  call(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** Creates a session and returns its id. */
  newSession(body?: object): Promise<string>;
  /** Returns the URL for database clients of a session; the superuser's by default. */
  clientUrl(sessionId: string, user?: string, password?: string): string;
  stop(): Promise<void>;
}

interface TestDaemonOptions {
  /** A database that the caller owns and drops. By default one is created, and dropped with the daemon. */
  readonly database?: TestDatabase;
  /** Settings by name, as flags set them. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a daemon; the caller stops it. */
export async function startTestDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const database = options.database ?? (await createTestDatabase({ template: 'migrated-sample' }));
  // All test files of a run share the server, so only a part of its connections may be free.
  const flags = { upstream: database.url, maxConnections: 190, ...options.flags };
  const config = testConfig(flags, options.env);
  const logged: string[] = [];
  const stderr = { write: (line: string) => logged.push(line) };
  const daemon = await startDaemon(config, { env: {}, stderr, version: '0.0.0-test' });
  const { restUrl, info, proxyAddress: proxy } = daemon;
  const call = (method: string, path: string, sent?: Sent) => callHttp(restUrl, method, path, sent);
  return {
    restUrl,
    proxy,
    info,
    database,
    logged,
    call,
    newSession: (json = {}) =>
      until(async () => {
        const { status, body } = await call('POST', '/sessions', { json });
        if (status === 201) return String(body.session_id);
        // A test that blocks this process may have prevented the daemon from reaching its upstream in time. The daemon recovers without
        // help.
        if (status === 503) return null;
        throw new Error(`no session: ${status} ${JSON.stringify(body)}`);
      }),
    clientUrl: (sessionId, user = database.user, password = database.password) =>
      clientUrl(proxy, { user, password, database: database.name, sessionId }),
    stop: async () => {
      await daemon.stop();
      if (!options.database) await database.drop();
    },
  };
}

/**
 * Returns the configuration that these settings give on a machine without configuration files, with free ports. Notices about staged rows
 * are off: responses are compared with PostgreSQL's own.
 */
export function testConfig(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
): Config {
  return loadConfig({
    flags: { port: 0, proxyPort: 0, logLevel: 'debug', stagedNotice: 'false', ...flags },
    env: { HOME: '/nonexistent', ...env },
    cwd: '/nonexistent',
  });
}

function clientUrl(
  proxy: { readonly host: string; readonly port: number },
  login: Readonly<Record<'user' | 'password' | 'database' | 'sessionId', string>>,
): string {
  const url = new URL(`postgresql://${proxy.host}:${proxy.port}/${login.database}`);
  url.username = login.user;
  url.password = login.password;
  const options = encodeURIComponent(`-c service_session=${login.sessionId}`);
  return `${url.href}?options=${options}`;
}

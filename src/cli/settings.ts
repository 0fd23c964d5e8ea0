/** What the configuration says to the commands that talk to the daemon. */
import { readFileSync } from 'node:fs';
import { StageError } from '../errors.ts';
import type { Host } from './host.ts';
import type { ColourMode } from './output/colour.ts';

/** Options that may stand anywhere on the command line. */
export interface SharedOptions {
  readonly session?: string;
  readonly server?: string;
  readonly serverCa?: string;
  readonly config?: string;
  readonly json?: true;
  /** Of the commands that have several forms of output. */
  readonly output?: string;
  readonly color: ColourMode | false;
  readonly quiet?: true;
  readonly verbose?: true;
  readonly debug?: true;
}

export interface ClientSettings {
  /** The daemon's address, without a slash at its end. */
  readonly server: string;
  readonly token: string | null;
  /** Certificates by which an https server is known; null for the system's. */
  readonly ca: string | null;
  /** The session named by --session or STAGE_SESSION. */
  readonly session: string | null;
  /**
   * Gives the session that a configuration file names: this directory's own choice goes before it.
   * @throws StageError `configuration_untrusted`
   */
  usualSession(): string | null;
  /** Gives the user's own keys in the review. @throws StageError `configuration_untrusted` */
  keys(): Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads the settings: flags, environment, files.
 * @throws StageError `configuration_invalid`, `configuration_untrusted` where a project's file decides whom a command talks to, and
 *   as whom, or `usage` for an address with a password in it
 */
export async function readSettings(host: Host, options: SharedOptions): Promise<ClientSettings> {
  // its parsers are slow to load, and help does not need them
  const { loadConfig } = await import('../config/load.ts');
  const { demandTrust } = await import('../config/demand-trust.ts');
  const { readTokens } = await import('../config/tokens.ts');
  const { server, serverCa, session, config } = options;
  const loaded = loadConfig({
    flags: { server, serverCa, session, config },
    // another program's database is none of our business here
    env: { ...host.env, DATABASE_URL: undefined },
    cwd: host.cwd(),
  });
  demandTrust(loaded, ['server', 'serverCa', 'token', 'tokenFile']);
  const { settings, origins } = loaded;
  const named = /^(flag|environment)$/.test(origins.session.level);
  return {
    server: checkServer(settings.server),
    token: readTokens(settings).own,
    ca: settings.serverCa === null ? null : readCertificates(settings.serverCa),
    session: named ? settings.session : null,
    usualSession: () => {
      demandTrust(loaded, ['session']);
      return named ? null : settings.session;
    },
    keys: () => {
      demandTrust(loaded, ['keys']);
      return settings.keys;
    },
  };
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new StageError('usage', `cannot read ${path}: ${(cause as Error).message}`, {
      hint: 'Correct --server-ca or STAGE_SERVER_CA.',
      cause,
    });
  }
}

function checkServer(server: string): string {
  const { username, password } = new URL(server);
  if (!username && !password) return server.replace(/\/+$/, '');
  throw new StageError('usage', "the server's address must not hold a name or password", {
    hint: 'A token belongs into STAGE_TOKEN or a file; see `stage help environment`.',
  });
}

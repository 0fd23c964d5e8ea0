/** Reads the configuration for commands that talk to the daemon. */
import { readFileSync } from 'node:fs';
import { StageError } from '../errors.ts';
import type { Host } from './host.ts';
import type { ColourMode } from './output/colour.ts';

/** Options that are allowed anywhere on the command line. */
export interface SharedOptions {
  readonly session?: string;
  readonly server?: string;
  readonly serverCa?: string;
  readonly config?: string;
  readonly json?: true;
  /** Only for commands with several output formats. */
  readonly output?: string;
  readonly color: ColourMode | false;
  readonly quiet?: true;
  readonly verbose?: true;
  readonly debug?: true;
}

export interface ClientSettings {
  /** The daemon's address without a trailing slash. */
  readonly server: string;
  readonly token: string | null;
  /** Trusted certificates for an https server; null for the system's. */
  readonly ca: string | null;
  /** The session named by --session or STAGE_SESSION. */
  readonly session: string | null;
  /**
   * Returns the session that a configuration file names. The choice of the directory takes precedence over it.
   * @throws StageError `configuration_untrusted`
   */
  usualSession(): string | null;
  /** Returns the user's key bindings for the review. @throws StageError `configuration_untrusted` */
  keys(): Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads the settings from flags, environment and files.
 * @throws StageError `configuration_invalid`; `configuration_untrusted` where a project's file decides the server or the identity
 * of a command; `usage` for an address with a password
 */
export async function readSettings(host: Host, options: SharedOptions): Promise<ClientSettings> {
  // the parsers of the configuration are slow to load, and help does not need them
  const { loadConfig } = await import('../config/load.ts');
  const { demandTrust } = await import('../config/demand-trust.ts');
  const { readTokens } = await import('../config/tokens.ts');
  const { server, serverCa, session, config } = options;
  const loaded = loadConfig({
    flags: { server, serverCa, session, config },
    // DATABASE_URL may belong to another program
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

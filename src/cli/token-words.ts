/** Helpers of the commands that change and show the tokens of the token file. */
import { sanitize } from '../client/sanitize.ts';
import { StageError } from '../errors.ts';
import type { Token } from '../model/access.ts';
import { isExpired, tokenId } from '../model/access.ts';
import type { JsonObject } from '../model/json.ts';
import type { Context } from './context.ts';

export interface TokenFileOption {
  readonly tokenFile?: string;
}

/**
 * Returns the path of the token file that the daemon on this machine reads.
 * @throws StageError `usage` if none is configured; `configuration_untrusted` if a project's file names it
 */
export async function tokenFileOf(
  { host }: Context,
  { tokenFile, config }: TokenFileOption & { readonly config?: string },
): Promise<string> {
  const { loadConfig } = await import('../config/load.ts');
  const { demandTrust } = await import('../config/demand-trust.ts');
  const loaded = loadConfig({
    flags: { tokenFile, config },
    env: { ...host.env, DATABASE_URL: undefined },
    cwd: host.cwd(),
  });
  demandTrust(loaded, ['tokenFile']);
  if (loaded.settings.tokenFile !== null) return loaded.settings.tokenFile;
  throw new StageError('usage', 'no token file is configured', {
    hint: 'Name the one that the daemon reads: --token-file FILE, STAGE_TOKEN_FILE, or `token_file` of the configuration.',
  });
}

/** Returns a token as the commands print it with --json. */
export function tokenBody(token: Token): JsonObject {
  return {
    id: tokenId(token),
    name: token.name,
    role: token.role,
    projects: token.projects === null ? null : [...token.projects],
    database_roles: [...token.databaseRoles],
    expires_at: token.expiresAt,
    expired: isExpired(token, Date.now()),
  };
}

export const tokenColumns = ['id', 'name', 'role', 'projects', 'database roles', 'expires'].map(
  (title) => ({ title }),
);

export function tokenRow(token: Token): string[] {
  const { name, role, projects, databaseRoles, expiresAt } = token;
  const end =
    expiresAt === null ? '' : `${isExpired(token, Date.now()) ? 'expired ' : ''}${expiresAt}`;
  return [
    tokenId(token),
    name,
    role,
    sanitize(projects?.join(',') ?? ''),
    sanitize(databaseRoles.join(',')),
    end,
  ];
}

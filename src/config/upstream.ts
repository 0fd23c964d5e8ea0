/** Chooses the production database: one with a URL, or an embedded PostgreSQL. */
import { join } from 'node:path';
import { StageError } from '../errors.ts';
import { demandTrust } from './demand-trust.ts';
import type { Config, Level } from './load.ts';
import type { Environment } from './user-folders.ts';
import { userFolder } from './user-folders.ts';

export type Production =
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'embedded';
      readonly directory: string;
      /** Whether it is the user's default directory. */
      readonly isUsual: boolean;
    };

const levels: readonly Level[] = ['flag', 'environment', 'file', 'user file', 'default'];
/** Levels that take precedence over files. */
const said: readonly Level[] = ['flag', 'environment'];

/**
 * Chooses between `upstream` and `embedded`. The one with the higher precedence wins, so `--embedded` overrides a DATABASE_URL in
 * the environment. The default is embedded.
 * @throws StageError `configuration_invalid` if both come from the same place, `configuration_untrusted` if an untrusted project
 *   file would decide
 */
export function chooseProduction(config: Config, env: Environment): Production {
  const { settings, origins } = config;
  const isSaid = [origins.upstream, origins.embedded].some(({ level }) => said.includes(level));
  if (!isSaid) demandTrust(config, ['upstream', 'embedded']);
  const { upstream, embedded } = settings;
  if (upstream === null) return embeddedIn(embedded, env);
  if (embedded === null) return { kind: 'url', url: upstream };
  const stronger = levels.indexOf(origins.upstream.level) - levels.indexOf(origins.embedded.level);
  if (stronger < 0) return { kind: 'url', url: upstream };
  if (stronger > 0) return embeddedIn(embedded, env);
  throw new StageError(
    'configuration_invalid',
    `${origins.upstream.name} and ${origins.embedded.name} contradict each other`,
    {
      hint: 'Production is either a database of yours or the embedded PostgreSQL: leave one of them out.',
    },
  );
}

function embeddedIn(embedded: string | true | null, env: Environment): Production {
  if (typeof embedded === 'string')
    return { kind: 'embedded', directory: embedded, isUsual: false };
  return { kind: 'embedded', directory: usualDirectory(env), isUsual: true };
}

/** Returns the default directory. For root the server runs under another account, which cannot access root's home. */
function usualDirectory(env: Environment): string {
  if (process.getuid?.() === 0) return '/var/lib/stage/embedded';
  const folder = userFolder(env, 'data');
  if (folder !== null) return join(folder, 'embedded');
  throw new StageError(
    'configuration_invalid',
    'there is no HOME to keep an embedded PostgreSQL in',
    {
      hint: 'Name a directory with --embedded DIR, or a PostgreSQL of your own with --upstream URL.',
    },
  );
}

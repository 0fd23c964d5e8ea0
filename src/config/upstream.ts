/** Which database is production: one with a URL, or an embedded PostgreSQL. */
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
      /** The user's own directory, which nobody had to name. */
      readonly isUsual: boolean;
    };

const levels: readonly Level[] = ['flag', 'environment', 'file', 'user file', 'default'];
/** Before these a file has no say. */
const said: readonly Level[] = ['flag', 'environment'];

/**
 * Decides between `upstream` and `embedded`: the one from the stronger place counts, so `--embedded` wins over a
 * DATABASE_URL that happens to be there. Without either it is embedded.
 * @throws StageError `configuration_invalid` when one and the same place asks for both, `configuration_untrusted` when it is a
 *   project's file that decides
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

/** As root the server runs under another account, to which root's home is closed. */
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

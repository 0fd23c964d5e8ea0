/** Which database is production: one with a URL, or an embedded PostgreSQL. */
import { join } from 'node:path';
import { StageError } from '../errors.ts';
import type { Environment } from './files.ts';
import { userDataFolder } from './files.ts';
import type { Config, Level } from './load.ts';

export type Production =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'embedded'; readonly directory: string };

const levels: readonly Level[] = ['flag', 'environment', 'file', 'user file', 'default'];

/**
 * Decides between `upstream` and `embedded`: the one from the stronger place counts, so `--embedded` wins over a
 * DATABASE_URL that happens to be there. Without either it is embedded.
 * @throws StageError `configuration_invalid` when one and the same place asks for both
 */
export function chooseProduction({ settings, origins }: Config, env: Environment): Production {
  const { upstream, embedded } = settings;
  const directory = typeof embedded === 'string' ? embedded : defaultDirectory(env);
  if (upstream === null) return { kind: 'embedded', directory };
  if (embedded === null) return { kind: 'url', url: upstream };
  const stronger = levels.indexOf(origins.upstream.level) - levels.indexOf(origins.embedded.level);
  if (stronger < 0) return { kind: 'url', url: upstream };
  if (stronger > 0) return { kind: 'embedded', directory };
  throw new StageError(
    'configuration_invalid',
    `${origins.upstream.name} and ${origins.embedded.name} contradict each other`,
    {
      hint: 'Production is either a database of yours or the embedded PostgreSQL: leave one of them out.',
    },
  );
}

/** As root the server runs under another account, to which root's home is closed. */
function defaultDirectory(env: Environment): string {
  return process.getuid?.() === 0
    ? '/var/lib/stage/embedded'
    : join(userDataFolder(env), 'embedded');
}

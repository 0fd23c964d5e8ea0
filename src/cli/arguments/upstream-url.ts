/** Determines the upstream database for commands that connect to it directly. */
import type { Settings } from '../../config/schema.ts';
import { StageError } from '../../errors.ts';
import type { Context } from '../context.ts';

/**
 * Returns the upstream that `stage serve` would use.
 * @throws StageError `usage` for the embedded one, which runs only while it is served; `configuration_untrusted` when a project's file
 * decides
 */
export async function upstreamOf(
  { host, options }: Context,
  upstream: string | undefined,
): Promise<{ readonly url: string; readonly settings: Settings }> {
  const { loadConfig } = await import('../../config/load.ts');
  const { demandTrust } = await import('../../config/demand-trust.ts');
  const { chooseProduction } = await import('../../config/upstream.ts');
  const flags = { upstream, config: options.config };
  const config = loadConfig({ flags, env: host.env, cwd: host.cwd() });
  const production = chooseProduction(config, host.env);
  demandTrust(config, ['maxConnections', 'conflictIgnoreColumns']);
  if (production.kind === 'url') return { url: production.url, settings: config.settings };
  throw new StageError('usage', 'there is no upstream database to connect to', {
    hint: 'Name it with --upstream, STAGE_UPSTREAM or in the configuration file.',
  });
}

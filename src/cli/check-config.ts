/** `stage serve --check`: everything that would keep a daemon from serving, or make it unsafe, without starting one. */
import type { Config } from '../config/load.ts';
import type { Context } from './context.ts';

/**
 * Checks the configuration, connects to the upstream and examines it; gives the doctor's exit code.
 * @throws StageError as `stage serve` would
 */
export async function checkConfig(context: Context, config: Config): Promise<number> {
  const { chooseProduction } = await import('../config/upstream.ts');
  const { checkStart } = await import('../daemon/check-start.ts');
  const { settings } = config;
  checkStart(settings);
  const production = chooseProduction(config, context.host.env);
  if (production.kind === 'embedded') {
    await context.out.remark('The configuration is good. Production is an embedded PostgreSQL.');
    return 0;
  }
  const { examineUpstream } = await import('./commands/doctor.ts');
  return examineUpstream(context, production.url, null);
}

/** `stage serve --fresh`: deletes the embedded PostgreSQL's data, with a confirmation if work would be lost. */
import type { Config } from '../config/load.ts';
import { StageError } from '../errors.ts';
import type { Log } from '../log.ts';
import { createLog } from '../log.ts';
import type { Context } from './context.ts';
import type { Host } from './host.ts';
import { interruptible } from './interrupt.ts';
import { ask, hasTerminal } from './prompt.ts';

/** Functions of the daemon for the embedded PostgreSQL's data. */
interface EmbeddedWork<Clusters> {
  knownClusters(of: {
    readonly env: Host['env'];
    readonly isUsual: boolean;
    readonly log: Log;
  }): Clusters;
  countUndecided(directory: string, clusters: Clusters, log: Log): Promise<number>;
  removeData(directory: string): Promise<void>;
}

/**
 * Deletes the data, and returns whether it is deleted.
 * @throws StageError `usage` without an embedded PostgreSQL, or if work would be lost and there is no terminal
 */
export async function startAnew<Clusters>(
  { host, out }: Context,
  config: Config,
  isAgreed: boolean,
  { knownClusters, countUndecided, removeData }: EmbeddedWork<Clusters>,
): Promise<boolean> {
  const { chooseProduction } = await import('../config/upstream.ts');
  const production = chooseProduction(config, host.env);
  if (production.kind === 'url') {
    throw new StageError(
      'usage',
      '--fresh is for the embedded PostgreSQL, and there is an upstream',
      {
        hint: 'Add --embedded to mean the embedded one, or leave --fresh out.',
      },
    );
  }
  const { directory, isUsual } = production;
  const log = createLog('silent', host.stderr);
  const clusters = knownClusters({ env: host.env, isUsual, log });
  const undecided = isAgreed ? 0 : await countUndecided(directory, clusters, log);
  if (undecided > 0) {
    const sessions = undecided === 1 ? '1 session is' : `${undecided} sessions are`;
    const lost = `${sessions} undecided in ${directory}`;
    if (!hasTerminal(host, out)) {
      throw new StageError('usage', `${lost}, and --fresh would lose it`, {
        hint: 'Repeat the command with --yes to lose it, or choose another directory with --embedded DIR.',
      });
    }
    const answer = await interruptible(host, (interruption) =>
      ask(host, `${lost}. Throw everything away? Type yes to go on: `, interruption),
    );
    if (answer !== 'yes') {
      await out.note('Nothing was done.');
      return false;
    }
  }
  await removeData(directory);
  return true;
}

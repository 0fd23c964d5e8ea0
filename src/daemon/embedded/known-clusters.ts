/** Which clusters may be started: those that this user's `stage` has made, or that the person has trusted. */
import type { TrustState } from '../../config/trust.ts';
import { clusterSubject, trust, trustIn } from '../../config/trust.ts';
import type { Environment } from '../../config/user-folders.ts';
import { StageError } from '../../errors.ts';
import type { Log } from '../../log.ts';

export interface KnownClusters {
  /** @throws StageError `configuration_untrusted` unless the cluster of this password in this directory is known */
  demand(directory: string, password: string): void;
  /** Makes the cluster known that is about to be in a directory. */
  remember(directory: string, password: string): void;
}

interface Circumstances {
  readonly env: Environment;
  /** The directory is the user's own, where no project puts anything. */
  readonly isUsual: boolean;
  readonly log: Log;
}

/** Knows clusters by marks in the user's state folder. A user who has none is told so, and asked at the next start. */
export function knownClusters({ env, isUsual, log }: Circumstances): KnownClusters {
  const remember = (directory: string, password: string) => {
    try {
      trust(env, clusterSubject(directory, password));
    } catch (error) {
      const { message, hint } = error as StageError;
      log.warn('the next start will not know this embedded PostgreSQL', { error: message, hint });
    }
  };
  return {
    remember,
    demand(directory, password) {
      const subject = clusterSubject(directory, password);
      const state = trustIn(env, subject);
      if (state === 'trusted') return;
      // of an earlier release, or of a user whose state is gone
      if (isUsual) remember(directory, password);
      else throw notKnown(subject.path, state);
    },
  };
}

function notKnown(directory: string, state: TrustState): StageError {
  const which =
    state === 'changed' ? 'another PostgreSQL cluster than you trusted' : 'a PostgreSQL cluster';
  return new StageError(
    'configuration_untrusted',
    `${directory} holds ${which}, and nothing says that your \`stage\` made it`,
    {
      detail:
        'Whoever wrote the configuration of a cluster can have programs run as you. Of clusters that an earlier release made, or that were moved, nothing is known.',
      hint: `If it is yours, say so once: \`stage trust ${directory}\`; in CI and containers with STAGE_TRUST=1. Or choose another directory with --embedded DIR.`,
    },
  );
}

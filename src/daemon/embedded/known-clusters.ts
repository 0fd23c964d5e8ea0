/** Decides which clusters may be started: those that this user's `stage` created, and those that the user trusts. */
import type { TrustState } from '../../config/trust.ts';
import { clusterSubject, trust, trustIn } from '../../config/trust.ts';
import type { Environment } from '../../config/user-folders.ts';
import { StageError } from '../../errors.ts';
import type { Log } from '../../log.ts';

export interface KnownClusters {
  /** Demands that the cluster of this password in this directory is known. @throws StageError `configuration_untrusted` */
  demand(directory: string, password: string): void;
  /** Records a cluster as known, before it is moved to the directory. */
  remember(directory: string, password: string): void;
}

interface Circumstances {
  readonly env: Environment;
  /** Whether it is the user's default directory, where no project puts anything. */
  readonly isUsual: boolean;
  readonly log: Log;
}

/** Stores known clusters in the user's state folder. If that fails, it logs a warning: the next start will demand trust. */
export function knownClusters({ env, isUsual, log }: Circumstances): KnownClusters {
  const remember = (directory: string, password: string) => {
    try {
      trust(env, clusterSubject(directory, password));
    } catch (error) {
      const { message, hint } = error as StageError;
      log.warn('the next start will not recognise this embedded PostgreSQL', {
        error: message,
        hint,
      });
    }
  };
  return {
    remember,
    demand(directory, password) {
      const subject = clusterSubject(directory, password);
      const state = trustIn(env, subject);
      if (state === 'trusted') return;
      // of an earlier release, or of a user whose state was lost
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

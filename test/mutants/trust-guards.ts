/** The guards against settings in a project's files, clusters that others created, and tokens that no longer exist. */
import type { Guard } from './guard.ts';

export const trustGuards: readonly Guard[] = [
  {
    name: 'a state file belongs to the user alone',
    without: '',
    tests: ['config/trust'],
  },
  {
    name: 'trust is in one content',
    without: "return 'trusted';",
    tests: ['config/trust'],
  },
  {
    name: 'a project decides nothing that matters before it is trusted',
    without: 'if (untrusted === null || meant.length > 0) return;',
    tests: ['config/trust'],
  },
  {
    name: 'a cluster that is there is started only if it is known',
    without: '',
    tests: ['cli/trust'],
  },
  {
    name: 'no program is run that was found in the directory',
    without:
      'if (await lstat(target).catch(() => null)) return target; const leftovers: string[] = [];',
    tests: ['daemon/embedded'],
  },
  {
    name: 'a token is good until its time',
    without: 'return matches[0] ?? null;',
    tests: ['cli/token'],
  },
  {
    name: 'a token file that was emptied does not open the service',
    without: '',
    tests: ['daemon/token-monitor'],
  },
  {
    name: 'a token that was revoked hears nothing more',
    without: '',
    tests: ['daemon/token-monitor'],
  },
];

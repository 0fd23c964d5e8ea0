/** The guards that ensure that the daemon works on the right server. */
import type { Guard } from './guard.ts';

export const upstreamGuards: readonly Guard[] = [
  {
    name: 'a daemon that starts does not go to an old primary',
    without: 'const hasMoved = false;',
    tests: ['e2e/lost-commits'],
  },
  {
    name: 'of several primaries the one that was promoted last is used',
    without: 'if (newest === 0 || timelines[urls.indexOf(current)] !== 0) return false;',
    tests: ['e2e/lost-commits'],
  },
];

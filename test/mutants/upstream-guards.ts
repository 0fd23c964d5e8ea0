/** What keeps the daemon at the right server. */
import type { Guard } from './guard.ts';

export const upstreamGuards: readonly Guard[] = [
  {
    name: 'a daemon that starts does not go to an old primary',
    file: 'src/daemon/upstream-monitor.ts',
    text: 'const hasMoved = !ready && (await this.#seek());',
    without: 'const hasMoved = false;',
    tests: ['e2e/lost-commits'],
  },
  {
    name: 'of several primaries the one that was promoted last is used',
    file: 'src/db/host-route.ts',
    text: 'timelines[urls.indexOf(current)] === newest',
    without: 'timelines[urls.indexOf(current)] !== 0',
    tests: ['e2e/lost-commits'],
  },
];

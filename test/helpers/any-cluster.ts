/** For clusters that a test or a benchmark makes for itself: every one is known, and nothing is remembered of it. */
import type { KnownClusters } from '../../src/daemon/embedded/known-clusters.ts';

export const anyCluster: KnownClusters = { demand: () => undefined, remember: () => undefined };

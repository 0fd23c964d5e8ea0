/** For clusters that a test or a benchmark creates: every cluster is known, and none is recorded. */
import type { KnownClusters } from '../../src/daemon/embedded/known-clusters.ts';

export const anyCluster: KnownClusters = { demand: () => undefined, remember: () => undefined };

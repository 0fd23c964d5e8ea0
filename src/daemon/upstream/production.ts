/** The upstream database: one with a URL, or the embedded PostgreSQL with the sample in it. */

import { parseUpstream } from '../../client-connection/upstream-target.ts';
import type { Production } from '../../config/upstream.ts';
import type { Environment } from '../../config/user-folders.ts';
import { hostUrls } from '../../model/upstream-hosts.ts';
import { startEmbedded } from '../embedded/embedded.ts';
import { knownClusters } from '../embedded/known-clusters.ts';
import { installSample } from '../embedded/sample.ts';
import type { Parts } from '../parts.ts';

export interface Upstream {
  /** URL of the service account. */
  readonly url: string;
  readonly database: string;
  /** Whom clients can log in as; known of the sample only. */
  readonly login: { readonly user: string; readonly password: string } | null;
  readonly embedded: EmbeddedData | null;
}

export interface EmbeddedData {
  readonly directory: string;
  /** When the data was made; null when that was only now. */
  readonly madeAt: Date | null;
}

/** Of the role that sample.sql creates. */
const sampleLogin = { user: 'app', password: 'app' };

/**
 * Gives the upstream; an embedded one is running by then.
 * @throws StageError `configuration_invalid` when the URL or the embedded directory cannot be used, `configuration_untrusted` when
 *   the cluster in that directory is not known
 */
export async function startProduction(
  { log, releases }: Parts,
  production: Production,
  env: Environment,
): Promise<Upstream> {
  if (production.kind === 'url') {
    const { database } = parseUpstream(hostUrls(production.url)[0] ?? production.url);
    return { url: production.url, database, login: null, embedded: null };
  }
  const { directory, isUsual } = production;
  const clusters = knownClusters({ env, isUsual, log });
  const server = await startEmbedded({ directory, clusters, log });
  releases.push('embedded PostgreSQL', server.stop);
  const { url } = await installSample(server.url);
  const { madeAt } = server;
  log.info('production is an embedded PostgreSQL', { directory, made: madeAt?.toISOString() });
  const { database } = parseUpstream(url);
  return { url, database, login: sampleLogin, embedded: { directory, madeAt } };
}

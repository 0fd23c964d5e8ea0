/** Starts the upstream database: one with a URL, or the embedded PostgreSQL with the sample. */

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
  /** A login for clients; known only for the sample. */
  readonly login: { readonly user: string; readonly password: string } | null;
  readonly embedded: EmbeddedData | null;
}

export interface EmbeddedData {
  readonly directory: string;
  /** When the data was created; null if this start created it. */
  readonly madeAt: Date | null;
}

/** The login of the role that sample.sql creates. */
const sampleLogin = { user: 'app', password: 'app' };

/**
 * Returns the upstream, after starting it if it is embedded.
 * @throws StageError `configuration_invalid` if the URL or the embedded directory cannot be used, `configuration_untrusted` if
 * the cluster in that directory is not known
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

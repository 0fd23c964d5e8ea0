/** Which of the upstream's hosts is used: the one that takes writes. After a failover that is another one. */
import { hostUrls } from '../model/upstream-hosts.ts';
import { onConnection } from './backend.ts';
import { readUrl } from './connections.ts';

export interface HostRoute {
  /** A URL for each host. */
  readonly urls: readonly string[];
  /** The URL of the host that is used. */
  readonly url: string;
  /**
   * Looks which host takes writes, and uses that from now on; stays where it is when none does, or the one that is used.
   * @returns whether it is another one than before
   */
  seek(): Promise<boolean>;
  /** Has something done whenever another host is used. */
  onMove(work: () => void): void;
}

const askMs = 2_000;

/** Begins with the first host of the URL. */
export function createHostRoute(url: string): HostRoute {
  const urls = hostUrls(url);
  const works: (() => void)[] = [];
  let current = urls[0] ?? url;
  return {
    urls,
    get url() {
      return current;
    },
    seek: async () => {
      if (urls.length === 1) return false;
      const found = await Promise.all(urls.map(isPrimary));
      const primary = urls.find((_, index) => found[index]);
      if (primary === undefined || primary === current || found[urls.indexOf(current)])
        return false;
      current = primary;
      for (const work of works) work();
      return true;
    },
    onMove: (work) => {
      works.push(work);
    },
  };
}

/** Gives the URL of the host that takes writes, else of the first: for those who look once. */
export async function primaryUrl(url: string): Promise<string> {
  const route = createHostRoute(url);
  await route.seek();
  return route.url;
}

async function isPrimary(url: string): Promise<boolean> {
  let answer: string | null | undefined;
  await onConnection({ ...readUrl(url), application_name: 'stage' }, askMs, async (db) => {
    const [row] = await db.query('SELECT (NOT pg_is_in_recovery())::text AS primary');
    answer = row?.['primary'];
  }).catch(() => undefined);
  return answer === 'true';
}

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
   * Looks which host takes writes, and uses that from now on. Of several that do the one that was promoted last is right: an old
   * primary may have come back. Stays where it is when none takes writes, or none that was promoted later than the one that is used.
   * @returns whether it is another one than before
   */
  seek(): Promise<boolean>;
  /** Has something done whenever another host is used; `isOlder` when it is on a timeline before that of a host used earlier. */
  onMove(work: (isOlder: boolean) => void): void;
}

const askMs = 2_000;

/** Begins with the first host of the URL. */
export function createHostRoute(url: string): HostRoute {
  const urls = hostUrls(url);
  const works: ((isOlder: boolean) => void)[] = [];
  let current = urls[0] ?? url;
  /** The timeline of the host that is used, when it was last asked. */
  let used = 0;
  return {
    urls,
    get url() {
      return current;
    },
    seek: async () => {
      if (urls.length === 1) return false;
      const timelines = await Promise.all(urls.map(timelineOf));
      const newest = Math.max(...timelines);
      const isOlder = newest < used;
      if (newest > 0) used = newest;
      // guard: of several primaries the one that was promoted last is used
      if (newest === 0 || timelines[urls.indexOf(current)] === newest) return false;
      current = urls[timelines.indexOf(newest)] ?? current;
      for (const work of works) work(isOlder);
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

/** Each promotion begins a timeline, whose number is the first part of the names of WAL files. */
const askTimeline =
  'SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline';

/** The number of the timeline that a host writes; 0 where it takes no writes, or gives no answer. */
async function timelineOf(url: string): Promise<number> {
  let answer: string | null | undefined;
  await onConnection({ ...readUrl(url), application_name: 'stage' }, askMs, async (db) => {
    const [row] = await db.query(askTimeline);
    answer = row?.['timeline'];
  }).catch(() => undefined);
  return Number.parseInt(answer ?? '0', 16);
}

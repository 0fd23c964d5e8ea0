/** Chooses the upstream host that takes writes. After a failover that is another one. */
import { hostUrls } from '../model/upstream-hosts.ts';
import { onConnection } from './backend.ts';
import { readUrl } from './connections.ts';

export interface HostRoute {
  /** The URLs of all hosts. */
  readonly urls: readonly string[];
  /** The URL of the host in use. */
  readonly url: string;
  /**
   * Finds the host that takes writes, and uses it from now on. If several do, the one that was promoted last is right, because an old
   * primary may have come back. The host stays the same if no host takes writes, or none was promoted later.
   * @returns whether the host changed
   */
  seek(): Promise<boolean>;
  /** Registers a callback for changes of the host. `isOlder`: the new host is on an older timeline than a host used before. */
  onMove(work: (isOlder: boolean) => void): void;
}

const queryTimeoutMs = 2_000;

/** Starts with the first host of the URL. */
export function createHostRoute(url: string): HostRoute {
  const urls = hostUrls(url);
  const works: ((isOlder: boolean) => void)[] = [];
  let current = urls[0] ?? url;
  /** The timeline of the host in use, as of the last query. */
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

/** Returns the URL of the host that takes writes, else of the first host. For callers that need it once. */
export async function primaryUrl(url: string): Promise<string> {
  const route = createHostRoute(url);
  await route.seek();
  return route.url;
}

/** Each promotion begins a new timeline. Its number is the first part of the names of WAL files. */
const queryTimeline =
  'SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline';

/** Returns the number of the timeline that a host writes; 0 if it takes no writes or does not respond. */
async function timelineOf(url: string): Promise<number> {
  let answer: string | null | undefined;
  await onConnection({ ...readUrl(url), application_name: 'stage' }, queryTimeoutMs, async (db) => {
    const [row] = await db.query(queryTimeline);
    answer = row?.['timeline'];
  }).catch(() => undefined);
  return Number.parseInt(answer ?? '0', 16);
}

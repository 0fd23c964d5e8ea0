/** Lists all sessions that match a filter, page by page. */
import type { Session } from '../model/session.ts';
import type { ApiClient } from './api-client.ts';
import type { SessionFilter } from './filters.ts';

/** The largest page that the daemon returns, in sessions. */
const limit = 1000;

/** Lists the sessions, newest first. @throws StageError as `ApiClient.listSessions` does */
export async function* allSessions(
  api: ApiClient,
  filter: Omit<SessionFilter, 'limit' | 'offset'> = {},
): AsyncGenerator<Session> {
  for (let offset = 0; ; ) {
    const { items, totalCount } = (await api.listSessions({ ...filter, limit, offset })).value;
    yield* items;
    offset += items.length;
    if (items.length === 0 || offset >= totalCount) return;
  }
}

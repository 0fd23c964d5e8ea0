/** Lists all sessions that match a filter, page by page. */
import type { Session } from '../model/session.ts';
import type { ApiClient } from './api-client.ts';
import type { ListPaging, SessionFilter } from './filters.ts';
import { nextPlace } from './responses.ts';

/** The largest page that the daemon returns, in sessions. */
const limit = 1000;

/** Lists the sessions, newest first. @throws StageError as `ApiClient.listSessions` does */
export async function* allSessions(
  api: ApiClient,
  filter: Omit<SessionFilter, keyof ListPaging> = {},
): AsyncGenerator<Session> {
  let place: ListPaging = {};
  for (let seen = 0; ; ) {
    const { value } = await api.listSessions({ ...filter, ...place, limit });
    yield* value.items;
    if (!value.hasMore) return;
    seen += value.items.length;
    place = nextPlace(value, seen);
  }
}

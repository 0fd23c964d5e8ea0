/** Routes that list and end the database connections of a session. */
import type { Database } from '../../db/database.ts';
import type { Connection } from '../../model/connection.ts';
import type { JsonObject } from '../../model/json.ts';
import { listHolders, terminateHolder } from '../../staging/session-holders.ts';
import { getSession } from '../../staging/session-store.ts';
import { demandOwn } from '../access.ts';
import { connectionBody } from '../bodies.ts';
import { defineRoute } from '../route.ts';
import { connectionList, endedConnections } from '../schemas/connections.ts';

const list = defineRoute({
  method: 'get',
  path: '/sessions/:id/connections',
  name: 'listConnections',
  summary:
    'Lists the database connections of the session: those through this service, and of others those that hold the session by a transaction with staged writes.',
  right: 'read',
  responses: { 200: connectionList },
  errors: ['session_not_found'],
  needsUpstream: true,
  handle: async ({ id }, { db, clients }) => {
    await getSession(db, id);
    const here = clients.of(id);
    const found = [...here, ...(await holdersElsewhere(db, id, here))];
    return {
      body: {
        session_id: id,
        id,
        connections: found.map(connectionBody),
        total_count: found.length,
      },
    };
  },
});

/** Each round finds only the next holder of the session's lock. */
const mostRounds = 20;

const end = defineRoute({
  method: 'delete',
  path: '/sessions/:id/connections',
  name: 'endConnections',
  summary:
    'Ends the database connections of the session, and what they have under way; an author those of its own session only. Names those that the service account may not end.',
  right: 'write',
  responses: { 200: endedConnections },
  errors: ['session_not_found'],
  needsUpstream: true,
  handle: async ({ id, caller }, { db, clients }) => {
    demandOwn(caller, await getSession(db, id));
    let ended = clients.end(id);
    for (let round = 0; round < mostRounds; round += 1) {
      const holders = await holdersElsewhere(db, id, []);
      const outcomes = await Promise.all(holders.map((holder) => terminateHolder(db, holder)));
      const left = holders.filter((_, index) => !outcomes[index]);
      ended += holders.length - left.length;
      if (left.length > 0 || holders.length === 0) return { body: endedBody(id, ended, left) };
    }
    return { body: endedBody(id, ended, []) };
  },
});

async function holdersElsewhere(
  db: Database,
  id: string,
  here: readonly Connection[],
): Promise<Connection[]> {
  const known = new Set(here.map(({ backend }) => backend));
  return (await listHolders(db, id)).filter(({ backend }) => !known.has(backend));
}

function endedBody(id: string, ended: number, left: readonly Connection[]): JsonObject {
  return { session_id: id, id, ended, left: left.map(connectionBody) };
}

export const connectionRoutes = [list, end];

/**
 * Connections that several programs use, one after the other: the first statements of a connection take most of a program's time. A
 * connection is used again after a reset while nothing is staged in its session. With STAGE_TEST_FORMS=all each program has a new one.
 */
import { backend } from '../../../src/wire/message-codes.ts';
import { sendsAll } from '../../helpers/forms.ts';
import type { WireClient } from '../../helpers/wire-script.ts';
import { connectWire, inWords, q } from '../../helpers/wire-script.ts';
import type { ProgramRole } from './program.ts';
import type { Target } from './target.ts';

/** DISCARD ALL without DISCARD PLANS, which would make the service's own statements slow again. Responds with `reset 0`. */
const reset = [
  ...['CLOSE ALL', 'SET SESSION AUTHORIZATION DEFAULT', 'RESET ALL', 'DEALLOCATE ALL'],
  ...['UNLISTEN *', 'SELECT pg_advisory_unlock_all()', 'DISCARD SEQUENCES'],
  // the temporary schema stays until the connection ends
  `SELECT 'reset ' || pg_my_temp_schema()`,
].join('; ');

export interface Connection {
  readonly role: ProgramRole;
  /** The id of its session. */
  readonly session: string;
  readonly client: WireClient;
}

export interface Connections {
  /** Returns a connection of a role to a session without staged rows. The one with own start-up options is always new. */
  take(role: ProgramRole, options?: string): Promise<Connection>;
  /** Takes a connection back, to use it again if it can be reset. */
  giveBack(connection: Connection): Promise<void>;
  close(): void;
}

export function openConnections(target: Target): Connections {
  const spare: Connection[] = [];
  return {
    take: async (role, options) => {
      const at = options === undefined ? spare.findIndex((each) => each.role === role) : -1;
      const [found] = at < 0 ? [] : spare.splice(at, 1);
      if (found) return found;
      const { id, url } = await target.session(role, options);
      return { role, session: id, client: await connectWire(url) };
    },
    giveBack: async (connection) => {
      if (!sendsAll && (await isReset(connection.client))) spare.push(connection);
      else connection.client.close();
    },
    close: () => {
      for (const { client } of spare) client.close();
    },
  };
}

/** Resets a connection, and returns whether nothing of a program is left in it. */
async function isReset(client: WireClient): Promise<boolean> {
  client.send(q(reset));
  for (;;) {
    // a script may leave responses unread
    const batch = (await client.readTo(backend.readyForQuery)).map(inWords);
    if (batch.some((answer) => answer.startsWith('D ') && answer.endsWith('reset 0')))
      return batch.at(-1) === 'Z I';
    if (batch.length === 0 || batch.some((answer) => /^E |^D .*reset /.test(answer))) return false;
  }
}

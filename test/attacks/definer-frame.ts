/** The frame of attacks by functions with SECURITY DEFINER: a database with these and their roles, and sessions on it. */
import type pg from 'pg';
import { createRole, dropRoles, outcomeOf } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { TestDefiner } from '../helpers/suite.ts';
import { chief, clerk, roles, schema } from './definer-schema.ts';

/** Starts them before the tests of a suite, and stops them behind. @param further a script for the database */
export function definerFrame(test: TestDefiner, further = '') {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query(roles.map((role) => createRole(role)).join(''));
    await proxied.database.query(`ALTER ROLE ${chief.name} SUPERUSER`);
    await proxied.database.query(schema + further);
  });
  test.after(async () => {
    await dropRoles(proxied, roles);
    await proxied.stop();
  });
  return {
    proxied: () => proxied,
    connect: async (session: string, { name, password } = clerk) =>
      proxied.connect(proxied.daemon.clientUrl(session, name, password)),
    newSession: () => proxied.daemon.newSession({ reads: 'staged' }),
    said: async (client: pg.Client, text: string) => JSON.stringify(await outcomeOf(client, text)),
    /** Returns the name of the copy of a function, which a direct connection could call. */
    copyOf: async (name: string) => {
      const [row] = await proxied.database.query<{ copy: string }>(
        `SELECT oid::regproc::text AS copy FROM pg_proc WHERE proname = '${name}' AND pronamespace::regnamespace::text ~ '^stage_function_' ORDER BY oid DESC LIMIT 1`,
      );
      return String(row?.copy);
    },
  };
}

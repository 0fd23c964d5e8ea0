/** Databases with code as applications have it, and a day's work in each: answers and databases are as they are directly. */
import { approveStories } from '../helpers/alike.ts';
import { dropRoles } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { suite } from '../helpers/suite.ts';

const names = [
  'audit-history',
  'soft-delete',
  'counters',
  'ledger',
  'search',
  'status-machine',
  'queue',
  'outbox',
  'rpc',
  'tenants',
];

for (const name of names) {
  const { schema, steps } = await readStories(`proxy/applications/${name}.sql`);
  const roles = [...schema.matchAll(/CREATE ROLE (\w+)/g)].map(([, role = '']) => role);
  suite(`an application: ${name}`, (test) => {
    let proxied: Proxied;
    test.before(async () => {
      proxied = await startProxied(schema);
    });
    test.after(async () => {
      if (roles.length > 0)
        await dropRoles(
          proxied,
          roles.map((role) => ({ name: role, password: '' })),
        );
      await proxied.stop();
    });

    approveStories(test, () => proxied, steps);
  });
}

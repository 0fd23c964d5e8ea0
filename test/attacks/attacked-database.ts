/** A database of traps behind a daemon, with a role of each kind. */
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { schema } from './schema.ts';

export type AttackerRole = 'superuser' | 'owner' | 'reader';

export interface AttackedDatabase {
  readonly database: TestDatabase;
  readonly daemon: TestDaemon;
  /** Creates a session and gives the URL of connections to it under the role. */
  session(role: AttackerRole, reads: 'production' | 'staged'): Promise<string>;
  stop(): Promise<void>;
}

/** @throws what the server says when it cannot be prepared */
export async function startAttacked(): Promise<AttackedDatabase> {
  const database = await createTestDatabase({ template: 'empty' });
  const [owner, reader] = [`${database.name}_owner`, `${database.name}_reader`];
  await database.query(
    `CREATE ROLE ${owner} LOGIN PASSWORD 'x'; CREATE ROLE ${reader} LOGIN PASSWORD 'x'`,
  );
  await database.query(
    `GRANT ALL ON DATABASE ${database.name} TO ${owner}; GRANT ALL ON SCHEMA public TO ${owner}`,
  );
  await database.query(`SET ROLE ${owner}; ${schema}; RESET ROLE`);
  await database.query(
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${reader}; GRANT USAGE ON SCHEMA trap TO ${reader}`,
  );
  await database.query('ALTER FUNCTION evil_definer() OWNER TO CURRENT_USER');
  const daemon = await startTestDaemon({ database });
  const users = { owner, reader };
  return {
    database,
    daemon,
    session: async (role, reads) => {
      const session = await daemon.newSession({ reads });
      return role === 'superuser'
        ? daemon.clientUrl(session)
        : daemon.clientUrl(session, users[role], 'x');
    },
    stop: async () => {
      await daemon.stop();
      await database.query(
        `REASSIGN OWNED BY ${owner}, ${reader} TO CURRENT_USER; DROP OWNED BY ${owner}, ${reader}`,
      );
      await database.query(`DROP ROLE ${owner}, ${reader}`);
      await database.drop();
    },
  };
}

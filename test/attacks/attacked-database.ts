/** A database of traps behind a daemon, with a role of each kind. */
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { createRole } from '../helpers/roles.ts';
import type { TestDefiner } from '../helpers/suite.ts';
import { fingerprint } from './fingerprint.ts';
import { schema } from './schema.ts';

export type AttackerRole = 'superuser' | 'owner' | 'reader';

export interface AttackedDatabase {
  readonly database: TestDatabase;
  readonly daemon: TestDaemon;
  /** Runs SQL directly on the database as the owner of its tables. */
  asOwner(text: string): Promise<void>;
  /** Creates a session and returns the URL of connections to it under the role. */
  session(role: AttackerRole, reads: 'production' | 'staged'): Promise<string>;
  stop(): Promise<void>;
}

/**
 * The database and its fingerprint from before the first attack. Both are set from before a suite's first test until after its last one.
 */
export interface Siege {
  readonly attacked: AttackedDatabase;
  readonly before: readonly string[];
}

/** Creates the database before the tests of a suite, and removes it after them. */
export function besiege(test: TestDefiner): Siege {
  const siege = {} as { attacked: AttackedDatabase; before: readonly string[] };
  test.before(async () => {
    siege.attacked = await startAttacked();
    siege.before = await fingerprint(siege.attacked.database);
  });
  test.after(() => siege.attacked.stop());
  return siege;
}

/**
 * Creates the database.
 * @throws the server's error if it cannot be prepared
 */
export async function startAttacked(): Promise<AttackedDatabase> {
  const database = await createTestDatabase({ template: 'migrated' });
  const owner = await createRole(
    database,
    `GRANT ALL ON DATABASE ${database.name} TO $role; GRANT ALL ON SCHEMA public TO $role`,
  );
  const asOwner = async (text: string) => {
    await database.query(`SET ROLE ${owner.name}; ${text}; RESET ROLE`);
  };
  await asOwner(schema);
  const reader = await createRole(
    database,
    'GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role; GRANT USAGE ON SCHEMA trap TO $role',
  );
  await database.query('ALTER FUNCTION evil_definer() OWNER TO CURRENT_USER');
  const daemon = await startTestDaemon({ database });
  const users = { owner, reader };
  return {
    database,
    daemon,
    asOwner,
    session: async (role, reads) => {
      const session = await daemon.newSession({ reads });
      if (role === 'superuser') return daemon.clientUrl(session);
      const { name } = users[role];
      return daemon.clientUrl(session, name, name);
    },
    stop: async () => {
      await daemon.stop();
      // Overlays depend on types of the owner.
      await database.query(`REASSIGN OWNED BY ${owner.name} TO CURRENT_USER`);
      await owner.drop();
      await reader.drop();
      await database.drop();
    },
  };
}

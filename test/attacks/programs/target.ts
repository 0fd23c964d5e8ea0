/** A database behind a daemon for the programs of a group, with a role of each kind. */
import type { TestDaemon } from '../../helpers/daemon.ts';
import { startTestDaemon } from '../../helpers/daemon.ts';
import type { TestDatabase } from '../../helpers/database.ts';
import { createTestDatabase } from '../../helpers/database.ts';
import { createRole } from '../../helpers/roles.ts';
import type { ProgramGroup, ProgramRole, TypeOid } from './program.ts';
import { tables } from './program.ts';

export interface Target {
  readonly database: TestDatabase;
  readonly daemon: TestDaemon;
  readonly oid: TypeOid;
  /** Creates a session, and returns the URL of connections to it. */
  session(role: ProgramRole, options?: string): Promise<{ id: string; url: string }>;
  stop(): Promise<void>;
}

const rights: Readonly<Record<Exclude<ProgramRole, 'superuser'>, string>> = {
  reader:
    'GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role; GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO $role',
  writer: `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO $role;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO $role; GRANT CREATE ON SCHEMA public TO $role`,
};

/**
 * Prepares the database and starts the daemon.
 * @param upstreamOf returns the URL by which the daemon connects to the database
 */
export async function startTarget(
  { objects }: Pick<ProgramGroup, 'objects'>,
  upstreamOf: (database: TestDatabase) => Promise<string>,
): Promise<Target> {
  const database = await createTestDatabase({ template: 'empty' });
  await database.query(`${tables}${objects.replaceAll('$database', database.name)}`);
  const users = {
    reader: await createRole(database, rights.reader),
    writer: await createRole(database, rights.writer),
  };
  const types = await database.query<{ name: string; oid: number }>(
    `SELECT typname AS name, oid::int FROM pg_type WHERE typnamespace = 'public'::regnamespace`,
  );
  const oids = new Map(types.map(({ name, oid }) => [name, oid]));
  const daemon = await startTestDaemon({
    database,
    flags: { upstream: await upstreamOf(database) },
  });
  return {
    database,
    daemon,
    oid: (name) => oids.get(name) ?? 0,
    session: async (role, options = '') => {
      const id = await daemon.newSession();
      const user = role === 'superuser' ? null : users[role].name;
      const url = new URL(user === null ? daemon.clientUrl(id) : daemon.clientUrl(id, user, user));
      url.searchParams.set('options', `${url.searchParams.get('options')} ${options}`.trim());
      return { id, url: url.href.replaceAll('+', '%20') };
    },
    stop: async () => {
      await daemon.stop();
      await users.reader.drop();
      await database.query(`DROP OWNED BY ${users.writer.name}`);
      await users.writer.drop();
      await database.drop();
    },
  };
}

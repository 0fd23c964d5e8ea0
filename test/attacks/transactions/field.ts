/** The environment of random programs: production behind a daemon whose messages are recorded, and copies on which they run directly. */
import type { ReadsMode } from '../../../src/model/session.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { startTestDaemon } from '../../helpers/daemon.ts';
import type { TestDatabase } from '../../helpers/database.ts';
import { createTestDatabase } from '../../helpers/database.ts';
import type { RecordingUpstream } from '../../helpers/recording-upstream.ts';
import { startRecordingUpstream } from '../../helpers/recording-upstream.ts';
import type { TestRole } from '../../helpers/roles.ts';
import { createRole } from '../../helpers/roles.ts';
import type { Role } from './random-program.ts';
import { reset, rights, schema } from './schema.ts';

export interface Field {
  readonly production: TestDatabase;
  readonly copies: readonly TestDatabase[];
  readonly daemon: TestDaemon;
  readonly upstream: RecordingUpstream;
  /** Creates a session, and returns the URL of connections to it. */
  session(role: Role, reads: ReadsMode): Promise<{ id: string; url: string }>;
  /** Returns the URL of direct connections to a copy. */
  direct(copy: TestDatabase, role: Role): string;
  stop(): Promise<void>;
}

/**
 * Starts everything.
 * @param width the number of copies, which is that of programs that run at once
 */
export async function startField(width: number): Promise<Field> {
  const production = await createTestDatabase({ template: 'migrated' });
  const copies = await Promise.all(
    Array.from({ length: width }, () => createTestDatabase({ template: 'empty' })),
  );
  for (const database of [production, ...copies]) await database.query(`${schema}${reset}`);
  const users = {
    reader: await createRole(production, rights.reader),
    writer: await createRole(production, rights.writer),
  };
  for (const copy of copies) await grant(copy, users);
  const upstream = await startRecordingUpstream(production);
  const flags = { upstream: upstream.urlFor(production) };
  const daemon = await startTestDaemon({ database: production, flags });
  const loginOf = (role: Role) => (role === 'superuser' ? null : users[role].name);
  return {
    ...{ production, copies, daemon, upstream },
    session: async (role, reads) => {
      const id = await daemon.newSession({ reads });
      const name = loginOf(role);
      return { id, url: name === null ? daemon.clientUrl(id) : daemon.clientUrl(id, name, name) };
    },
    direct: (copy, role) => {
      const name = loginOf(role);
      return name === null ? copy.url : copy.urlFor(name, name);
    },
    stop: async () => {
      await daemon.stop();
      await upstream.stop();
      await Promise.all(copies.map((copy) => copy.drop()));
      await users.reader.drop();
      await users.writer.drop();
      await production.drop();
    },
  };
}

async function grant(
  copy: TestDatabase,
  users: Readonly<Record<'reader' | 'writer', TestRole>>,
): Promise<void> {
  // A reader may stage what it could not write. On the copies it must be able to write.
  const granted = { reader: `${rights.reader}; ${rights.writing}`, writer: rights.writer };
  for (const role of ['reader', 'writer'] as const)
    await copy.query(granted[role].replaceAll('$role', users[role].name));
}

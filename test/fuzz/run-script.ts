/** Runs a script directly on one database and staged over its twin, up to the first difference, and approves it. */
import { backend, frontend } from '../../src/wire/message-codes.ts';
import { MessageWriter } from '../../src/wire/message-writer.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { connectWire, q } from '../helpers/wire-script.ts';
import type { Script } from './script.ts';
import type { Statement } from './statement.ts';
import { answer } from './wire-answer.ts';

export interface Difference {
  /** Index of the statement; null for what was found at approval. */
  readonly at: number | null;
  readonly what: string;
  readonly direct: readonly string[];
  readonly staged: readonly string[];
}

/** Told of each statement with the answer that it has on both sides. */
export type Heard = (statement: Statement, answer: readonly string[]) => void;

/** Gives the first difference, or null when there is none. */
export async function runScript(
  script: Script,
  heard: Heard = () => undefined,
): Promise<Difference | null> {
  const database = await createTestDatabase({ template: 'empty' });
  await prepare(database, script);
  // a clone, so that object ids, which some types' binary forms hold, are the same
  const twin = await createTestDatabase({ template: database });
  const daemon = await startTestDaemon({ database });
  try {
    const before = await contents(database, script);
    const session = await daemon.newSession({ project_id: 'fuzz', reads: 'staged' });
    const found = await replay(script, twin.url, daemon.clientUrl(session), heard);
    if (found) return found;
    const untouched = different(
      'production before approval',
      before,
      await contents(database, script),
    );
    if (untouched) return untouched;
    for (const step of ['propose', 'approve']) {
      const { status, text } = await daemon.call('POST', `/sessions/${session}/${step}`);
      if (status !== 200) return { at: null, what: step, direct: [], staged: [text] };
    }
    return different(
      'tables after approval',
      await contents(twin, script),
      await contents(database, script),
    );
  } finally {
    await daemon.stop();
    await Promise.all([twin.drop(), database.drop()]);
  }
}

/** First rows may break constraints, and a shrunk script may lack what a statement needs: both databases lack it. */
async function prepare(database: TestDatabase, { setup }: Script): Promise<void> {
  const client = await connectWire(database.url);
  client.send(...setup.map(q));
  await client.readTo(backend.readyForQuery, setup.length);
  client.send(new MessageWriter().message(frontend.terminate));
  await client.readToEnd();
}

async function contents(database: TestDatabase, { tables }: Script): Promise<string[]> {
  const all = tables.map((table) =>
    database
      .query<{ row: string }>(`SELECT t::text AS row FROM ${table} t ORDER BY 1`)
      .then((rows) => rows.map(({ row }) => `${table} ${row}`))
      .catch(() => []),
  );
  return (await Promise.all(all)).flat();
}

async function replay(
  script: Script,
  direct: string,
  staged: string,
  heard: Heard,
): Promise<Difference | null> {
  const clients = await Promise.all([connectWire(direct), connectWire(staged)]);
  try {
    for (const [at, statement] of script.statements.entries()) {
      const [direct = [], staged = []] = await Promise.all(
        clients.map((client) => answer(client, statement)),
      );
      const found = different(`statement ${at}`, direct, staged);
      if (found) return { ...found, at };
      heard(statement, direct);
    }
    return null;
  } finally {
    for (const client of clients) client.close();
  }
}

function different(
  what: string,
  direct: readonly string[],
  staged: readonly string[],
): Difference | null {
  const same = JSON.stringify(direct) === JSON.stringify(staged);
  return same ? null : { at: null, what, direct, staged };
}

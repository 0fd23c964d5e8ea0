/** Runs a script directly on one database and staged over its twin, up to the first difference, and approves it. */
import { backend, frontend } from '../../src/wire/message-codes.ts';
import { MessageWriter } from '../../src/wire/message-writer.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { connectWire, q } from '../helpers/wire-script.ts';
import { isRefusal, mayBeRefused } from './refusals.ts';
import type { Script } from './script.ts';
import type { Statement } from './statement.ts';
import { plainStatement } from './statement.ts';
import { responseTo } from './wire-response.ts';

export interface Difference {
  /** Index of the statement; null for what was found at approval. */
  readonly at: number | null;
  readonly what: string;
  readonly direct: readonly string[];
  readonly staged: readonly string[];
}

/** Is told of each statement. */
export interface Listener {
  /** With the answer that it has on both sides. */
  statement(statement: Statement, answer: readonly string[]): void;
  /** It is refused, as docs/limits.md says it is. */
  refused(statement: Statement): void;
}

/**
 * Gives the first difference, or null when there is none.
 * @throws the reason of the signal, before the statement that follows it
 */
export async function runScript(
  script: Script,
  listener?: Listener,
  signal?: AbortSignal,
): Promise<Difference | null> {
  signal?.throwIfAborted();
  const database = await createTestDatabase({ template: 'empty' });
  await prepare(database, script);
  // a clone, so that object ids, which some types' binary forms hold, are the same
  const twin = await createTestDatabase({ template: database });
  const daemon = await startTestDaemon({ database });
  try {
    const before = await contents(database, script);
    const session = await daemon.newSession({ project_id: 'fuzz', reads: 'staged' });
    const found = await replay(script, twin.url, daemon.clientUrl(session), listener, signal);
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
  if (setup.length === 0) return;
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
  listener: Listener | undefined,
  signal: AbortSignal | undefined,
): Promise<Difference | null> {
  const clients = { direct: await connectWire(direct), staged: await connectWire(staged) };
  try {
    for (const [at, statement] of script.statements.entries()) {
      signal?.throwIfAborted();
      const answers = await bothAnswers(clients, statement);
      if (answers === null) {
        listener?.refused(statement);
        continue;
      }
      const found = different(`statement ${at}`, answers.direct, answers.staged);
      if (found) return { ...found, at };
      listener?.statement(statement, answers.direct);
    }
    return null;
  } finally {
    clients.direct.close();
    clients.staged.close();
  }
}

/** Null where staging refuses as it should: then the statement is not run directly, either. */
async function bothAnswers(
  { direct, staged }: { readonly direct: WireClient; readonly staged: WireClient },
  statement: Statement,
): Promise<{ direct: string[]; staged: string[] } | null> {
  if (!mayBeRefused(statement)) {
    const answers = [responseTo(direct, statement), responseTo(staged, statement)] as const;
    return { direct: await answers[0], staged: await answers[1] };
  }
  const reported = await responseTo(staged, statement);
  if (!isRefusal(statement, reported))
    return { direct: await responseTo(direct, statement), staged: reported };
  if (reported.at(-1) === failedTransaction) await responseTo(direct, plainStatement('an error'));
  return null;
}

const failedTransaction = 'Z E';

function different(
  what: string,
  direct: readonly string[],
  staged: readonly string[],
): Difference | null {
  const same = JSON.stringify(direct) === JSON.stringify(staged);
  return same ? null : { at: null, what, direct, staged };
}

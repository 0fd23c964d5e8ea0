/** Runs a script directly on one database and staged over its twin, up to the first difference, and approves it. */
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { connectWire } from '../helpers/wire-script.ts';
import type { Script } from './script.ts';
import { answer } from './wire-answer.ts';

export interface Difference {
  /** Index of the statement; null for what was found at approval. */
  readonly at: number | null;
  readonly what: string;
  readonly direct: readonly string[];
  readonly staged: readonly string[];
}

/** Gives the first difference, or null when there is none. */
export async function runScript(script: Script): Promise<Difference | null> {
  const twin = await createTestDatabase({ template: 'empty' });
  const database = await createTestDatabase({ template: 'empty' });
  const daemon = await startTestDaemon({ database });
  try {
    await Promise.all([prepare(twin, script), prepare(database, script)]);
    const before = await contents(database, script);
    const session = await daemon.newSession({ project_id: 'fuzz', reads: 'staged' });
    const found = await replay(script, twin.url, daemon.clientUrl(session));
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

/** First rows may break constraints, and a shrunk script may lack what a statement needs: both databases lack it then. */
async function prepare(database: TestDatabase, { setup }: Script): Promise<void> {
  for (const text of setup) await database.query(text).catch(() => undefined);
}

async function contents(database: TestDatabase, { tables }: Script): Promise<string[]> {
  const all: string[] = [];
  for (const table of tables) {
    const rows = await database
      .query<{ row: string }>(`SELECT t::text AS row FROM ${table} t ORDER BY 1`)
      .catch(() => []);
    all.push(...rows.map(({ row }) => `${table} ${row}`));
  }
  return all;
}

async function replay(script: Script, direct: string, staged: string): Promise<Difference | null> {
  const clients = await Promise.all([connectWire(direct), connectWire(staged)]);
  try {
    for (const [at, statement] of script.statements.entries()) {
      const answers = await Promise.all(clients.map((client) => answer(client, statement)));
      const [direct = [], staged = []] = answers.map((each) =>
        statement.ofMany ? each.map(anyViolation) : each,
      );
      const found = different(`statement ${at}`, direct, staged);
      if (found) return { ...found, at };
    }
    return null;
  } finally {
    for (const client of clients) client.close();
  }
}

/** Leaves of an integrity violation only that it is one. */
const anyViolation = (line: string) => line.replace(/^(E .* C=23).*/s, '$1');

function different(
  what: string,
  direct: readonly string[],
  staged: readonly string[],
): Difference | null {
  const same = JSON.stringify(direct) === JSON.stringify(staged);
  return same ? null : { at: null, what, direct, staged };
}

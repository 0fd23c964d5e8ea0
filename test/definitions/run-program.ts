/** Runs a program through the proxy and on a twin, up to the first response that differs, and approves what is staged. */
import type { Statement } from '../fuzz/statement.ts';
import { plainStatement } from '../fuzz/statement.ts';
import { responseTo } from '../fuzz/wire-response.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { connectWire } from '../helpers/wire-script.ts';
import type { Step } from './program.ts';
import { connections, schema } from './program.ts';

interface Difference {
  /** The index of the step; one behind the last if it was found after the approval. */
  readonly at: number;
  readonly direct: readonly string[];
  readonly staged: readonly string[];
}

export interface Outcome {
  readonly difference: Difference | null;
  /** The number of statements with equal responses. */
  readonly alike: number;
  /** The number of refusals that docs/limits.md describes. */
  readonly refused: number;
  /** `changes apart`: only one of the databases accepted a change, because of its rows. */
  readonly end: 'approved' | 'conflict' | 'difference' | 'changes apart';
}

/** Both databases, and the connections to them. */
interface Sides {
  readonly database: TestDatabase;
  readonly twin: TestDatabase;
  readonly staged: readonly WireClient[];
  readonly direct: readonly WireClient[];
}

export async function runProgram(steps: readonly Step[]): Promise<Outcome> {
  const database = await createTestDatabase({ template: 'migrated' });
  const twin = await createTestDatabase({ template: 'empty' });
  for (const { query } of [database, twin]) await query(schema);
  const daemon = await startTestDaemon({ database });
  const session = await daemon.newSession({ reads: 'staged' });
  const staged = await connect(daemon.clientUrl(session));
  const direct = await connect(twin.url);
  const counts = { alike: 0, refused: 0 };
  try {
    for (const [at, step] of steps.entries()) {
      const found = await runStep({ database, twin, staged, direct }, step);
      if (found === 'changes apart') return { difference: null, ...counts, end: found };
      if (typeof found === 'object')
        return { difference: { at, ...found }, ...counts, end: 'difference' };
      if (found !== 'changed') counts[found] += 1;
    }
    if (!(await isApproved(daemon, session)))
      return { difference: null, ...counts, end: 'conflict' };
    const [production, other] = [await contents(database), await contents(twin)];
    const isSame = JSON.stringify(production) === JSON.stringify(other);
    const difference = isSame ? null : { at: steps.length, direct: other, staged: production };
    return { difference, ...counts, end: isSame ? 'approved' : 'difference' };
  } finally {
    for (const client of [...staged, ...direct]) client.close();
    await daemon.stop();
    await Promise.all([twin.drop(), database.drop()]);
  }
}

const connect = (url: string) =>
  Promise.all(Array.from({ length: connections }, () => connectWire(url)));

async function runStep(
  { database, twin, staged, direct }: Sides,
  step: Step,
): Promise<'changed' | 'changes apart' | 'alike' | 'refused' | Omit<Difference, 'at'>> {
  if (step.kind === 'change') {
    const isTaken = await Promise.all([change(database, step.text), change(twin, step.text)]);
    return isTaken[0] === isTaken[1] ? 'changed' : 'changes apart';
  }
  const statement = plainStatement(step.text, step.isExtended ? [] : null);
  const reported = await sendAgain(staged[step.on] as WireClient, statement);
  if (isRefusal(reported)) return 'refused';
  const wanted = await responseTo(direct[step.on] as WireClient, statement);
  return JSON.stringify(reported) === JSON.stringify(wanted)
    ? 'alike'
    : { direct: wanted, staged: reported };
}

/** Unsupported statements, and staged rows that are ambiguous after a change. */
const isRefusal = (reported: readonly string[]) =>
  reported.some((line) => / C=(?:0A000|55006) /.test(line));

/** A definition has changed meanwhile: "The transaction might succeed if retried." */
const asksAgain = (reported: readonly string[]) => reported.some((line) => / C=40001 /.test(line));

async function sendAgain(client: WireClient, statement: Statement): Promise<string[]> {
  let reported = await responseTo(client, statement);
  for (let tries = 0; tries < 3 && asksAgain(reported); tries += 1)
    reported = await responseTo(client, statement);
  return reported;
}

/** Returns whether it succeeded. */
const change = ({ query }: TestDatabase, text: string): Promise<boolean> =>
  query(text).then(
    () => true,
    () => false,
  );

/** Approves. Returns false if a change of a definition conflicts with what is staged. */
async function isApproved({ call }: TestDaemon, session: string): Promise<boolean> {
  for (const action of ['propose', 'approve']) {
    const { status, text } = await call('POST', `/sessions/${session}/${action}`);
    if (status === 409) return false;
    if (status !== 200) throw new Error(`${action}: ${status} ${text}`);
  }
  return true;
}

async function contents(database: TestDatabase): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r'
     AND relnamespace IN ('public'::regnamespace, 'other'::regnamespace) ORDER BY 1`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await database.query<{ row: string }>(
      `SELECT t::text AS row FROM ONLY ${name} t ORDER BY 1`,
    );
    rows.push(...found.map(({ row }) => `${name} ${row}`));
  }
  return rows;
}

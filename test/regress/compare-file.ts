/** One regression file, directly on one database and staged over its twin, statement by statement. */
import type { Databases } from './databases.ts';
import type { FileStatement } from './split-sql.ts';
import type { StatementKind } from './statement-kind.ts';
import { kindOf } from './statement-kind.ts';

export type Verdict = 'agree' | 'wording' | 'refused' | 'differ';

export interface Finding {
  readonly verdict: Exclude<Verdict, 'agree'>;
  readonly line: number;
  readonly text: string;
  readonly direct: readonly string[];
  readonly staged: readonly string[];
}

export interface FileResult {
  readonly agree: number;
  /** Run directly on both: DDL, and what runs with it in one transaction or as another role. */
  readonly direct: number;
  readonly skipped: number;
  /** Came behind a refusal in one transaction: nothing can be said of them, and the two sides are made equal after it. */
  readonly consequences: number;
  readonly findings: readonly Finding[];
  readonly roles: readonly string[];
}

interface Progress {
  readonly databases: Databases;
  readonly findings: Finding[];
  readonly counts: { agree: number; direct: number; skipped: number; consequences: number };
  readonly roles: string[];
  /** Names of functions that the file has made: what they read is production's, wherever they are called from. */
  readonly functions: Set<string>;
  /** Tables that are known to differ. */
  readonly strayed: Set<string>;
  /** The statements that ran on the twin since the last approval, for production to repeat when staging fell short of it. */
  since: FileStatement[];
  /** The file acts as another role. */
  isOther: boolean;
  /** Staging fell short: what is staged goes, and production repeats the statements when the transaction is over. */
  tainted: boolean;
}

/** Compares a whole file; the databases are equal before, and again afterwards. */
export async function compareFile(
  databases: Databases,
  statements: readonly FileStatement[],
): Promise<FileResult> {
  const counts = { agree: 0, direct: 0, skipped: 0, consequences: 0 };
  const progress: Progress = {
    databases,
    findings: [],
    counts,
    roles: [],
    functions: new Set(),
    strayed: new Set(),
    since: [],
    isOther: false,
    tainted: false,
  };
  for (let at = 0; at < statements.length; ) {
    const block = blockAt(statements, at);
    await runBlock(progress, block);
    at += block.length;
  }
  await catchUp(progress);
  return { ...counts, findings: progress.findings, roles: progress.roles };
}

/** One statement, or a whole transaction. */
function blockAt(statements: readonly FileStatement[], at: number): readonly FileStatement[] {
  if (!/^(begin|start\s+transaction)\b/i.test(statements[at]?.text ?? ''))
    return statements.slice(at, at + 1);
  const length = statements
    .slice(at)
    .findIndex(({ text }) =>
      /^(commit|end|abort|rollback(?!\s+(work\s+|transaction\s+)?to\b))\b/i.test(text),
    );
  return statements.slice(at, length === -1 ? undefined : at + length + 1);
}

async function runBlock(progress: Progress, block: readonly FileStatement[]): Promise<void> {
  const kinds = block.map(({ text }) => (callsOwn(progress, text) ? 'both' : kindOf(text)));
  const isTransaction = block.length > 1;
  const directly = kinds.some((kind) => kind === 'both' || (kind === 'become' && isTransaction));
  if (directly || kinds.includes('become')) await catchUp(progress);
  for (const [index, statement] of block.entries()) {
    const kind = kinds[index] ?? 'compare';
    if (kind !== 'skip' && kind !== 'role' && kind !== 'setting' && directly)
      await runDirectly(progress, statement);
    else await ways[kind](progress, statement);
  }
  if (progress.tainted) await repeatOnProduction(progress);
}

/** A SELECT that calls what the file has made runs directly, once all is approved; notes what is made. */
function callsOwn({ functions }: Progress, text: string): boolean {
  const made = /^create\s+(?:or\s+replace\s+)?function\s+(?:\w+\.)?(\w+)/i.exec(text)?.[1];
  if (made !== undefined) functions.add(made.toLowerCase());
  if (!/^select\b/i.test(text)) return false;
  return [...text.matchAll(/(\w+)\s*\(/g)].some(([, name]) =>
    functions.has((name ?? '').toLowerCase()),
  );
}

const ways: Readonly<Record<StatementKind, Way>> = {
  skip: async ({ counts }) => {
    counts.skipped += 1;
  },
  role: changeRole,
  setting: setEverywhere,
  become: becomeRole,
  both: runDirectly,
  compare,
};

type Way = (progress: Progress, statement: FileStatement) => Promise<void>;

async function changeRole(progress: Progress, { text }: FileStatement): Promise<void> {
  progress.counts.direct += 1;
  const name = /^create\s+(?:role|user|group)\s+("[^"]+"|\w+)/i.exec(text)?.[1];
  await progress.databases.onTwin(text);
  if (name === undefined) return;
  progress.roles.push(name);
  await progress.databases.onTwin(`ALTER ROLE ${name} LOGIN PASSWORD '${unquoted(name)}'`);
}

/** SET SESSION AUTHORIZATION and SET ROLE: whoever stages connects as that role instead. */
async function becomeRole(progress: Progress, statement: FileStatement): Promise<void> {
  await runDirectly(progress, statement);
  const role = /^set\s+(?:session\s+authorization|role)\s+("[^"]+"|\w+)/i.exec(statement.text)?.[1];
  const isOwn = role === undefined || /^(default|none)$/i.test(role);
  progress.isOther = !isOwn;
  await progress.databases.become(isOwn ? null : unquoted(role));
}

const unquoted = (name: string) => (name.startsWith('"') ? name.slice(1, -1) : name.toLowerCase());

async function setEverywhere(
  { databases, counts }: Progress,
  statement: FileStatement,
): Promise<void> {
  counts.direct += 1;
  for (const run of [databases.onTwin, databases.onProduction, databases.onStage])
    await run(statement.text);
}

async function runDirectly(
  { databases, counts, findings }: Progress,
  { text, data, line }: FileStatement,
): Promise<void> {
  counts.direct += 1;
  const permanent = text.replace(/^(create\s+)(?:(?:global|local)\s+)?temp(?:orary)?\s+/i, '$1');
  const direct = withoutNotices(await databases.onTwin(permanent, data));
  let staged = withoutNotices(await databases.onProduction(permanent, data));
  if (waitsForOverlays(staged)) {
    findings.push({ verdict: 'refused', line, text: `directly: ${text}`, direct, staged });
    await databases.onProduction('SELECT stage.release_names()');
    staged = withoutNotices(await databases.onProduction(permanent, data));
  }
  if (sqlstateOf(direct) !== sqlstateOf(staged))
    findings.push({ verdict: 'differ', line, text: `directly: ${text}`, direct, staged });
}

/** DROP TYPE waits for overlays of tables that are gone, until the service comes across them. */
const waitsForOverlays = (lines: readonly string[]) =>
  sqlstateOf(lines) === '2BP01' && lines.some((line) => line.includes(' stage_data.'));

async function compare(progress: Progress, statement: FileStatement): Promise<void> {
  const { databases, counts, findings } = progress;
  const { text, data, line } = statement;
  // sequences may have been made since the last approval
  if (progress.since.length === 0) await databases.mark();
  progress.since.push(statement);
  const direct = withoutNotices(await databases.onTwin(text, data));
  if (progress.tainted) {
    counts.consequences += 1;
    return;
  }
  const staged = withoutNotices(await databases.onStage(text, data));
  const verdict = compareResponses(progress, text, direct, staged);
  if (verdict === 'agree') {
    counts.agree += 1;
    return;
  }
  findings.push({ verdict, line, text, direct, staged });
  if (verdict !== 'wording') progress.tainted = true;
}

function compareResponses(
  progress: Progress,
  text: string,
  direct: readonly string[],
  staged: readonly string[],
): Verdict {
  if (/^explain\b/i.test(text) && sqlstateOf(direct) === sqlstateOf(staged)) return 'agree';
  if (JSON.stringify(direct) === JSON.stringify(staged)) return 'agree';
  const [wanted, got] = [sqlstateOf(direct), sqlstateOf(staged)];
  if (wanted !== null && wanted === got) return 'wording';
  return got === '0A000' || isRefusedByServer(progress, staged) ? 'refused' : 'differ';
}

/**
 * Two refusals have PostgreSQL's own codes: a function that a SELECT calls may not write, and a role has to be allowed to read
 * the whole of a table that it writes to.
 */
const isRefusedByServer = ({ isOther }: Progress, lines: readonly string[]) =>
  lines.some(
    (line) =>
      / C=25006 M=cannot execute \w+\(\) in a read-only transaction/.test(line) ||
      (isOther && / C=42501 M=permission denied for (table|view) /.test(line)),
  );

const sqlstateOf = (lines: readonly string[]): string | null =>
  lines.map((line) => /^E .*? C=(\w{5})/.exec(line)?.[1]).find((found) => found !== undefined) ??
  null;

const withoutNotices = (lines: readonly string[]) => lines.filter((line) => !/^[NA] /.test(line));

/** Approves what is staged, so that production is where the twin is. */
async function catchUp(progress: Progress): Promise<void> {
  if (progress.since.length === 0) return;
  const failure = await progress.databases.approve();
  const found = failure === null ? await progress.databases.differences() : [];
  // what differs once goes on to differ
  const tables = found.filter((table) => !progress.strayed.has(table));
  for (const table of tables) progress.strayed.add(table);
  if (failure !== null || tables.length > 0) {
    const { line = 0 } = progress.since.at(-1) ?? {};
    const staged = failure === null ? tables : [failure];
    progress.findings.push({ verdict: 'differ', line, text: 'approval', direct: [], staged });
  }
  if (failure !== null) await repeatOnProduction(progress);
  progress.since = [];
}

/** Discards what is staged and runs the same on production directly. */
async function repeatOnProduction(progress: Progress): Promise<void> {
  await progress.databases.discard();
  for (const { text, data } of progress.since) await progress.databases.onProduction(text, data);
  progress.since = [];
  progress.tainted = false;
}

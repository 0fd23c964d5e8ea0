/** One regression file, directly on one database and staged over its twin, statement by statement. */
import type { Desks } from './desks.ts';
import type { FileStatement } from './split-sql.ts';
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
  readonly findings: readonly Finding[];
  readonly roles: readonly string[];
}

interface Progress {
  readonly desks: Desks;
  readonly findings: Finding[];
  readonly counts: { agree: number; direct: number; skipped: number };
  readonly roles: string[];
  /** What ran on the twin since the last approval, for production to repeat when staging fell short of it. */
  since: FileStatement[];
  /** Staging fell short: what is staged goes, and production repeats the statements when the transaction is over. */
  tainted: boolean;
  otherRole: boolean;
}

/** Compares a whole file; the databases are equal before, and again afterwards. */
export async function compareFile(
  desks: Desks,
  statements: readonly FileStatement[],
): Promise<FileResult> {
  const counts = { agree: 0, direct: 0, skipped: 0 };
  const progress: Progress = {
    desks,
    findings: [],
    counts,
    roles: [],
    since: [],
    tainted: false,
    otherRole: false,
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
  const kinds = block.map(({ text }) => kindOf(text));
  const directly = progress.otherRole || kinds.some((kind) => kind === 'both' || kind === 'become');
  if (directly) await catchUp(progress);
  for (const [index, statement] of block.entries()) {
    const kind = kinds[index] ?? 'compare';
    if (kind === 'skip') progress.counts.skipped += 1;
    else if (kind === 'role') await changeRole(progress, statement);
    else if (kind === 'setting') await setEverywhere(progress, statement);
    else if (directly) await runDirectly(progress, statement, kind === 'become');
    else await compare(progress, statement);
  }
  if (progress.tainted) await repeatOnProduction(progress);
}

async function changeRole(progress: Progress, { text }: FileStatement): Promise<void> {
  progress.counts.direct += 1;
  const name = /^create\s+(?:role|user|group)\s+("[^"]+"|\w+)/i.exec(text)?.[1];
  if (name) progress.roles.push(name);
  await progress.desks.onTwin(text);
}

async function setEverywhere({ desks, counts }: Progress, statement: FileStatement): Promise<void> {
  counts.direct += 1;
  for (const run of [desks.onTwin, desks.onProduction, desks.onStage]) await run(statement.text);
}

async function runDirectly(
  progress: Progress,
  { text, data, line }: FileStatement,
  becomes: boolean,
): Promise<void> {
  progress.counts.direct += 1;
  if (becomes)
    progress.otherRole = !/^(reset|set\s+(session\s+authorization|role)\s+(default|none)\b)/i.test(
      text,
    );
  const permanent = text.replace(/^(create\s+)(?:(?:global|local)\s+)?temp(?:orary)?\s+/i, '$1');
  const direct = withoutNotices(await progress.desks.onTwin(permanent, data));
  const staged = withoutNotices(await progress.desks.onProduction(permanent, data));
  const sqlstates = [direct, staged].map((lines) => sqlstateOf(lines));
  if (sqlstates[0] !== sqlstates[1])
    progress.findings.push({ verdict: 'differ', line, text: `directly: ${text}`, direct, staged });
}

async function compare(progress: Progress, statement: FileStatement): Promise<void> {
  const { desks, counts, findings } = progress;
  const { text, data, line } = statement;
  progress.since.push(statement);
  const direct = withoutNotices(await desks.onTwin(text, data));
  if (progress.tainted) {
    counts.skipped += 1;
    return;
  }
  const staged = withoutNotices(await desks.onStage(text, data));
  const verdict = judge(text, direct, staged);
  if (verdict === 'agree') {
    counts.agree += 1;
    return;
  }
  findings.push({ verdict, line, text, direct, staged });
  if (verdict !== 'wording') progress.tainted = true;
}

function judge(text: string, direct: readonly string[], staged: readonly string[]): Verdict {
  if (/^explain\b/i.test(text) && sqlstateOf(direct) === sqlstateOf(staged)) return 'agree';
  if (JSON.stringify(direct) === JSON.stringify(staged)) return 'agree';
  const [wanted, got] = [sqlstateOf(direct), sqlstateOf(staged)];
  if (wanted !== null && wanted === got) return 'wording';
  return got === '0A000' ? 'refused' : 'differ';
}

const sqlstateOf = (lines: readonly string[]): string | null =>
  lines.map((line) => /^E .*? C=(\w{5})/.exec(line)?.[1]).find((found) => found !== undefined) ??
  null;

const withoutNotices = (lines: readonly string[]) => lines.filter((line) => !/^[NA] /.test(line));

/** Approves what is staged, so that production is where the twin is. */
async function catchUp(progress: Progress): Promise<void> {
  if (progress.since.length === 0) return;
  const failure = await progress.desks.approve();
  const tables = failure === null ? await progress.desks.differences() : [];
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
  await progress.desks.discard();
  for (const { text, data } of progress.since) await progress.desks.onProduction(text, data);
  progress.since = [];
  progress.tainted = false;
}

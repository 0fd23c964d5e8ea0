/** Streams a diff as JSON text, with only one page of its changes in memory. */
import { Readable } from 'node:stream';
import { StageError } from '../errors.ts';
import type { Change, ChangeCounts, Operation, Step } from '../model/change.ts';
import { stepSumOf } from '../model/change.ts';
import type { JsonObject } from '../model/json.ts';
import { stringifyJson } from '../model/json.ts';
import type { Diff } from '../review/diff/diff.ts';
import type { UnknownTable } from '../review/diff/known-tables.ts';
import { isOf } from '../review/diff/steps.ts';
import { changeBody, stepBody, tableDiffBody } from './bodies.ts';

export interface DiffPage {
  /** Only this table. */
  readonly table?: string | undefined;
  /** Only changes of this operation. */
  readonly type?: Operation | undefined;
  /** Maximum number of changes; all if absent. */
  readonly limit?: number | undefined;
  /** Number of changes to skip. */
  readonly offset: number;
  /** Whether to append every step with the requested table and operation. */
  readonly steps?: boolean | undefined;
  /** Included in the response if the database has no table of the requested name. */
  readonly unknown?: UnknownTable | null;
}

/** Smaller pieces are joined: sending them costs more than buffering them. */
const pieceLength = 64 * 1024;

/**
 * Creates the stream. Closes the diff when the stream ends, fails or is abandoned.
 * @param id the session's id
 */
export function diffStream(id: string, diff: Diff, page: DiffPage): Readable {
  const stream = Readable.from(toItsEnd(joined(diffText(id, diff, page))), {
    objectMode: false,
  });
  stream.once('close', () => void diff.close());
  return stream;
}

/** Appends a last line with the error to a response that fails midway, because its status was already sent. */
async function* toItsEnd(text: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* text;
  } catch (error) {
    if (error instanceof StageError)
      yield `\n${stringifyJson({ error: error.code, message: error.message, hint: error.hint })}`;
    throw error;
  }
}

async function* joined(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const part of parts) {
    piece += part;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

async function* diffText(id: string, diff: Diff, page: DiffPage): AsyncGenerator<string> {
  const head = stringifyJson({
    session_id: id,
    id,
    status: diff.status,
    summary: summaryOf(diff.counts),
    unknown_table: page.unknown ? { ...page.unknown } : undefined,
  });
  yield `${head.slice(0, -1)},"tables":{`;
  yield* tablesText(diff, page);
  // comes last, so that readers need not wait for it
  yield `},"digest":${JSON.stringify(await diff.digest())}`;
  if (page.steps) yield* stepsText(diff.steps, page);
  yield '}';
}

async function* stepsText(steps: AsyncIterable<Step>, page: DiffPage): AsyncGenerator<string> {
  yield ',"steps":[';
  let separator = '';
  for await (const step of steps) {
    if (!isOf(step, page)) continue;
    yield separator + stringifyJson(stepBody(step));
    separator = ',';
  }
  yield ']';
}

/** Yields the members of `tables`. Changes arrive table by table, in the order of the counts. */
async function* tablesText(diff: Diff, page: DiffPage): AsyncGenerator<string> {
  const shown = diff.counts.filter(
    (entry) => page.table === undefined || entry.table === page.table,
  );
  const pieces = onPage(diff.changes, page);
  let next = await pieces.next();
  for (const [index, entry] of shown.entries()) {
    const { table } = entry;
    const head = stringifyJson(tableDiffBody(entry)).slice(0, -1);
    yield `${index === 0 ? '' : ','}${JSON.stringify(table)}:${head},"changes":[`;
    for (let separator = ''; !next.done && next.value[0]?.table === table; separator = ',') {
      yield separator + next.value.map((change) => stringifyJson(changeBody(change))).join(',');
      next = await pieces.next();
    }
    yield ']}';
  }
}

/** Yields the changes that are on the page. Omits empty pieces. */
async function* onPage(
  pieces: AsyncIterable<readonly Change[]>,
  page: DiffPage,
): AsyncGenerator<readonly Change[], undefined> {
  let skipped = page.offset;
  let left = page.limit ?? Number.POSITIVE_INFINITY;
  for await (const piece of pieces) {
    const fitting = piece.filter((change) => isOf(change, page));
    const shown = fitting.slice(skipped, skipped + left);
    skipped -= Math.min(skipped, fitting.length);
    left -= shown.length;
    if (shown.length > 0) yield shown;
    if (left === 0) return;
  }
}

function summaryOf(counts: readonly ChangeCounts[]): JsonObject {
  const { inserts, updates, deletes, furtherChanges } = stepSumOf(counts);
  return {
    total_inserts: inserts,
    total_updates: updates,
    total_deletes: deletes,
    tables_affected: counts.length,
    further_changes: furtherChanges,
  };
}

/** Classifies heavy texts in the parse thread, as `parseQuery` does in place. */
import { parseThread } from '../parser/parse-thread.ts';
import { isLight } from '../parser/text-weight.ts';
import type { Statement } from '../verdict.ts';
import { parseQuery } from './parse-query.ts';

/** A statement by its place in the text that was asked for. */
type Classified = Pick<Statement, 'start' | 'verdict'> & { readonly end: number };

/** The task of the thread. */
export function classifyPlaces(text: Buffer, maxBytes?: number): readonly Classified[] {
  return parseQuery(text, maxBytes).map(({ start, text: own, verdict }) => {
    return { start, end: start + own.length, verdict };
  });
}

/**
 * Returns the statements of a text. They do not share its memory.
 * @param gone aborted when nobody waits for it any more
 * @throws SqlSyntaxError as `parseQuery` does; StageError as the thread does
 */
export async function classifyApart(
  text: Buffer,
  maxBytes?: number,
  gone?: AbortSignal,
): Promise<readonly Statement[]> {
  // A packet of the client's must not be kept in memory, nor all of one be handed over.
  const copy = Buffer.allocUnsafeSlow(text.length);
  text.copy(copy);
  const question = { task: 'classify', args: [copy, maxBytes] };
  const classified = await parseThread.run(question, text.length, gone);
  return (classified as readonly Classified[]).map(({ start, end, verdict }) => {
    return { start, text: copy.subarray(start, end), verdict };
  });
}

/**
 * Returns the statements of a text, which is classified where that makes nobody wait.
 * @throws as above
 */
export async function classifyAnywhere(text: Buffer): Promise<readonly Statement[]> {
  return isLight(text) ? parseQuery(text) : classifyApart(text);
}

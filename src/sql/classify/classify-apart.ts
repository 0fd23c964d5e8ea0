/** Classifies heavy texts in the parse thread, as `parseQuery` does in the calling thread. */
import { parseThread } from '../parser/parse-thread.ts';
import { isLight } from '../parser/text-weight.ts';
import type { Statement } from '../verdict.ts';
import { parseQuery } from './parse-query.ts';

/** A statement by its place in the whole text. */
type Classified = Pick<Statement, 'start' | 'verdict'> & { readonly end: number };

/** Classifies a text. This is the thread's task. */
export function classifyPlaces(text: Buffer, maxBytes?: number): readonly Classified[] {
  return parseQuery(text, maxBytes).map(({ start, text: own, verdict }) => {
    return { start, end: start + own.length, verdict };
  });
}

/**
 * Returns the statements of a text, classified in the parse thread. They do not share its memory.
 * @param gone aborted when the caller no longer needs the result
 * @throws SqlSyntaxError as `parseQuery` does; StageError as the thread does
 */
export async function classifyApart(
  text: Buffer,
  maxBytes?: number,
  gone?: AbortSignal,
): Promise<readonly Statement[]> {
  // The copy avoids retaining the client's packet, and sending all of it to the thread.
  const copy = Buffer.allocUnsafeSlow(text.length);
  text.copy(copy);
  const question = { task: 'classify', args: [copy, maxBytes] };
  const classified = await parseThread.run(question, text.length, gone);
  return (classified as readonly Classified[]).map(({ start, end, verdict }) => {
    return { start, text: copy.subarray(start, end), verdict };
  });
}

/**
 * Returns the statements of a text. Heavy texts are classified in the parse thread.
 * @throws as `classifyApart` does
 */
export async function classifyAnywhere(text: Buffer): Promise<readonly Statement[]> {
  return isLight(text) ? parseQuery(text) : classifyApart(text);
}

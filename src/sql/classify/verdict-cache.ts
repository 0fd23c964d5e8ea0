/** Remembers verdicts by text: applications send the same few statements again and again. */

import { Recent } from '../recent.ts';
import type { Statement } from '../verdict.ts';
import { parseQuery } from './parse-query.ts';

export interface VerdictCache {
  /** Gives the classified statements of a query string, as `parseQuery` does. */
  classify(text: Buffer): readonly Statement[];
  /** The same for a text that is remembered. */
  recall(text: Buffer): readonly Statement[] | undefined;
  /** Remembers what a text was classified elsewhere, and gives it back. The statements must not share the memory of a packet. */
  keep(text: Buffer, statements: readonly Statement[]): readonly Statement[];
}

interface CacheOptions {
  /** Longest statement that is parsed at all. */
  readonly maxStatementBytes?: number;
  /** Longest text that is kept; long ones are seldom sent twice. */
  readonly maxTextBytes?: number;
  /** Bound of all texts kept. */
  readonly maxTotalBytes?: number;
}

/**
 * Makes a cache of verdicts that forgets what has not been used for long.
 * @param size - how many texts it keeps; 0 turns it off.
 */
export function createVerdictCache(size: number, options: CacheOptions = {}): VerdictCache {
  const { maxStatementBytes, maxTextBytes = 64 * 1024, maxTotalBytes = 16 * 1024 * 1024 } = options;
  const recent = new Recent<readonly Statement[]>(size, maxTotalBytes);

  const isKept = (text: Buffer) => size > 0 && text.length <= maxTextBytes;
  // One character a byte: cheap to make, and never equal for different bytes.
  const keyOf = (text: Buffer) => text.toString('latin1');

  const recall = (text: Buffer) => (isKept(text) ? recent.get(keyOf(text)) : undefined);
  const keep = (text: Buffer, statements: readonly Statement[]) => {
    const isRefused = statements.some(({ verdict }) => verdict.kind === 'refuse');
    if (isKept(text) && !isRefused) recent.set(keyOf(text), statements);
    return statements;
  };

  return {
    recall,
    keep,
    classify(text) {
      if (!isKept(text)) return parseQuery(text, maxStatementBytes);
      // A copy: the statements must not keep a whole packet of the client in memory.
      return recall(text) ?? keep(text, parseQuery(Buffer.from(text), maxStatementBytes));
    },
  };
}

/** Remembers verdicts by text: applications send the same few statements again and again. */

import { Recent } from '../recent.ts';
import type { Statement } from '../verdict.ts';
import { parseQuery } from './parse-query.ts';

export interface VerdictCache {
  /** Gives the judged statements of a query string, as `parseQuery` does. */
  judge(text: Buffer): readonly Statement[];
  /** The same for a text that is remembered. */
  recall(text: Buffer): readonly Statement[] | undefined;
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

  const judgeAnew = (text: Buffer, key: string) => {
    // A copy: the statements must not keep a whole packet of the client in memory.
    const statements = parseQuery(Buffer.from(text), maxStatementBytes);
    if (!statements.some(({ verdict }) => verdict.kind === 'refuse')) recent.set(key, statements);
    return statements;
  };

  const isKept = (text: Buffer) => size > 0 && text.length <= maxTextBytes;
  // One character a byte: cheap to make, and never equal for different bytes.
  const keyOf = (text: Buffer) => text.toString('latin1');

  return {
    judge(text) {
      if (!isKept(text)) return parseQuery(text, maxStatementBytes);
      const key = keyOf(text);
      return recent.get(key) ?? judgeAnew(text, key);
    },
    recall: (text) => (isKept(text) ? recent.get(keyOf(text)) : undefined),
  };
}

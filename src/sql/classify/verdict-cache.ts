/** Caches verdicts by text, because applications repeat a small set of statements. */

import { Recent } from '../recent.ts';
import type { Statement } from '../verdict.ts';
import { parseQuery } from './parse-query.ts';

export interface VerdictCache {
  /** Returns the classified statements of a query string, as `parseQuery` does. */
  classify(text: Buffer): readonly Statement[];
  /** Returns the statements of a cached text. */
  recall(text: Buffer): readonly Statement[] | undefined;
  /**
   * Caches statements that were classified elsewhere, unless one is refused, and returns them. They must not share the memory of a packet.
   */
  store(text: Buffer, statements: readonly Statement[]): readonly Statement[];
}

interface CacheOptions {
  /** Maximum length of a statement that is parsed. */
  readonly maxStatementBytes?: number;
  /** Maximum length of a text that is cached; long texts are rarely repeated. */
  readonly maxTextBytes?: number;
  /** Maximum total length of all cached texts. */
  readonly maxTotalBytes?: number;
}

/**
 * Creates a cache of verdicts with approximate LRU eviction.
 * @param size maximum number of texts; 0 disables the cache
 */
export function createVerdictCache(size: number, options: CacheOptions = {}): VerdictCache {
  const { maxStatementBytes, maxTextBytes = 64 * 1024, maxTotalBytes = 16 * 1024 * 1024 } = options;
  const recent = new Recent<readonly Statement[]>(size, maxTotalBytes);

  const isCached = (text: Buffer) => size > 0 && text.length <= maxTextBytes;
  // One character per byte: cheap, and distinct for distinct bytes.
  const keyOf = (text: Buffer) => text.toString('latin1');

  const recall = (text: Buffer) => (isCached(text) ? recent.get(keyOf(text)) : undefined);
  const store = (text: Buffer, statements: readonly Statement[]) => {
    const isRefused = statements.some(({ verdict }) => verdict.kind === 'refuse');
    if (isCached(text) && !isRefused) recent.set(keyOf(text), statements);
    return statements;
  };

  return {
    recall,
    store,
    classify(text) {
      if (!isCached(text)) return parseQuery(text, maxStatementBytes);
      // Cached statements must not retain a whole packet of the client, so the text is copied.
      return recall(text) ?? store(text, parseQuery(Buffer.from(text), maxStatementBytes));
    },
  };
}

/** Remembers verdicts by text: applications send the same few statements again and again. */
import { parseQuery } from './parse-query.ts';
import type { Statement } from './verdict.ts';

export interface VerdictCache {
  /** Gives the judged statements of a query string, as `parseQuery` does. */
  judge(text: Buffer): readonly Statement[];
}

interface CacheOptions {
  /** Longest statement that is parsed at all. */
  readonly maxStatementBytes?: number;
  /** Longest text that is kept; long ones are seldom sent twice. */
  readonly maxTextBytes?: number;
  /** Bound of all texts kept. */
  readonly maxTotalBytes?: number;
}

interface Generation {
  readonly entries: Map<string, readonly Statement[]>;
  bytes: number;
}

/**
 * Makes a cache of verdicts that forgets what has not been used for long: two generations, each up to half the size;
 * what is used moves to the younger one, and when that is full, the older one goes. A hit costs one look-up.
 * @param size - how many texts it keeps; 0 turns it off.
 */
export function createVerdictCache(size: number, options: CacheOptions = {}): VerdictCache {
  const { maxStatementBytes, maxTextBytes = 64 * 1024, maxTotalBytes = 16 * 1024 * 1024 } = options;
  let young: Generation = { entries: new Map(), bytes: 0 };
  let old = young;

  const keep = (key: string, statements: readonly Statement[]) => {
    if (young.entries.size >= size / 2 || young.bytes + key.length > maxTotalBytes / 2) {
      old = young;
      young = { entries: new Map(), bytes: 0 };
    }
    young.entries.set(key, statements);
    young.bytes += key.length;
  };

  const judgeAnew = (text: Buffer, key: string) => {
    // A copy: the statements must not keep a whole packet of the client in memory.
    const statements = parseQuery(Buffer.from(text), maxStatementBytes);
    if (!statements.some(({ verdict }) => verdict.kind === 'refuse')) keep(key, statements);
    return statements;
  };

  return {
    judge(text) {
      if (size === 0 || text.length > maxTextBytes) return parseQuery(text, maxStatementBytes);
      // One character a byte: cheap to make, and never equal for different bytes.
      const key = text.toString('latin1');
      const known = young.entries.get(key);
      if (known) return known;
      const former = old.entries.get(key);
      if (!former) return judgeAnew(text, key);
      keep(key, former);
      return former;
    },
  };
}

/** Compares two texts word by word. */

export interface Part {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** The most words of a side that are compared, as the cost is the product of both lengths. Longer differing middles are reported whole. */
const mostWords = 400;

const words = (text: string) => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

/** Returns the parts of both texts in order, as same, removed or added. */
export function wordDifferences(before: string, after: string): Part[] {
  const [old, now] = [words(before), words(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  const shorter = Math.min(old.length, now.length) - start;
  while (end < shorter && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const middle = differences(
    old.slice(start, old.length - end),
    now.slice(start, now.length - end),
  );
  const parts: Part[] = [
    { kind: 'same', text: old.slice(0, start).join('') },
    ...middle,
    { kind: 'same', text: old.slice(old.length - end).join('') },
  ];
  return joined(parts);
}

function differences(old: readonly string[], now: readonly string[]): Part[] {
  if (old.length > mostWords || now.length > mostWords) {
    return [
      { kind: 'removed', text: old.join('') },
      { kind: 'added', text: now.join('') },
    ];
  }
  const common = commonLengths(old, now);
  const parts: Part[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && old[i] === now[j]) {
      parts.push({ kind: 'same', text: old[i] ?? '' });
      i += 1;
      j += 1;
    } else if (
      j >= now.length ||
      (i < old.length && at(common, i + 1, j) >= at(common, i, j + 1))
    ) {
      parts.push({ kind: 'removed', text: old[i] ?? '' });
      i += 1;
    } else {
      parts.push({ kind: 'added', text: now[j] ?? '' });
      j += 1;
    }
  }
  return parts;
}

const at = (lengths: readonly Uint16Array[], i: number, j: number) => lengths[i]?.[j] ?? 0;

/** Computes, for each pair of positions, the length of the longest common subsequence of the remaining words. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const row = lengths[i] as Uint16Array;
    for (let j = now.length - 1; j >= 0; j -= 1) {
      row[j] =
        old[i] === now[j]
          ? at(lengths, i + 1, j + 1) + 1
          : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}

/** Merges adjacent parts of one kind. A run of differences becomes its removed text, then its added text. */
function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  let run = { removed: '', added: '' };
  const flush = () => {
    if (run.removed !== '') result.push({ kind: 'removed', text: run.removed });
    if (run.added !== '') result.push({ kind: 'added', text: run.added });
    run = { removed: '', added: '' };
  };
  for (const [index, { kind, text }] of parts.entries()) {
    if (kind !== 'same') {
      run = { ...run, [kind]: run[kind] + text };
    } else if (isGap(parts, index) && run.removed !== '') {
      run = { removed: run.removed + text, added: run.added + text };
    } else if (text !== '') {
      flush();
      result.push({ kind, text });
    }
  }
  flush();
  return merged(result);
}

/** Whether a part is whitespace between two differences, which belongs to them. */
function isGap(parts: readonly Part[], index: number): boolean {
  const next = parts[index + 1]?.kind ?? 'same';
  return /^\s+$/.test(parts[index]?.text ?? '') && next !== 'same';
}

function merged(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last?.kind === part.kind)
      result[result.length - 1] = { ...part, text: last.text + part.text };
    else result.push(part);
  }
  return result;
}

/** Compares two texts word by word. */

export interface Part {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** The maximum number of words that may be removed and added between two texts. Beyond it, the differing middles are reported whole. */
const mostEdits = 400;

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
  const steps = shortestEdits(old, now);
  if (steps === null) {
    return [
      { kind: 'removed', text: old.join('') },
      { kind: 'added', text: now.join('') },
    ];
  }
  const parts: Part[] = [];
  let [i, j] = [old.length, now.length];
  const same = (until: number) => {
    for (; i > until; i -= 1, j -= 1) parts.push({ kind: 'same', text: old[i - 1] ?? '' });
  };
  for (let edits = steps.length - 1; edits > 0; edits -= 1) {
    const { isAdded, reaches } = lastEdit(steps[edits - 1] as Int32Array, edits, i - j);
    same(reaches);
    parts.push(
      isAdded
        ? { kind: 'added', text: now[j - 1] ?? '' }
        : { kind: 'removed', text: old[i - 1] ?? '' },
    );
    if (isAdded) j -= 1;
    else i -= 1;
  }
  same(0);
  return parts.reverse();
}

/**
 * Returns, for each number of edits up to the smallest that is enough, how far they reach in `old` on each diagonal (E. Myers, An O(ND)
 * Difference Algorithm, 1986): its cost depends on the edits and not on the lengths. Null if more than `mostEdits` are needed.
 */
function shortestEdits(old: readonly string[], now: readonly string[]): Int32Array[] | null {
  const steps: Int32Array[] = [];
  for (let edits = 0; edits <= mostEdits; edits += 1) {
    const before = steps.at(-1) ?? new Int32Array(1);
    const reached = new Int32Array(2 * edits + 1);
    steps.push(reached);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let i = edits === 0 ? 0 : lastEdit(before, edits, diagonal).reaches;
      while (i < old.length && i - diagonal < now.length && old[i] === now[i - diagonal]) i += 1;
      reached[diagonal + edits] = i;
      if (i >= old.length && i - diagonal >= now.length) return steps;
    }
  }
  return null;
}

/** Returns how far a number of edits reaches on a diagonal; -1 on one that they do not reach. */
const furthest = (reached: Int32Array, edits: number, diagonal: number) =>
  Math.abs(diagonal) > edits ? -1 : (reached[diagonal + edits] as number);

/** Returns the last edit on the furthest way to a diagonal, and how far that way reaches with it. */
function lastEdit(before: Int32Array, edits: number, diagonal: number) {
  const adding = furthest(before, edits - 1, diagonal + 1);
  const removing = furthest(before, edits - 1, diagonal - 1) + 1;
  const isAdded = adding >= removing;
  return { isAdded, reaches: isAdded ? adding : removing };
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

/** Returns whether a part is whitespace between two differences, which belongs to them. */
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

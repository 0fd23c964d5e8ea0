/** Guesses what somebody meant to write. */

/** Gives the name that takes the fewest changed letters. */
export function nearest(written: string, names: readonly string[]): string {
  const ranked = names.map((name) => ({ name, distance: distance(written.toLowerCase(), name) }));
  return ranked.reduce((best, next) => (next.distance < best.distance ? next : best)).name;
}

/** Levenshtein's distance, one row at a time. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

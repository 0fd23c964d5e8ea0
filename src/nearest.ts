/** Finds the known name that is closest to a mistyped one. */

/** Minimum length of the shorter text for a match by substring or abbreviation. */
const shortestPart = 3;

/** Returns the name with the smallest edit distance, or null if no name is close enough. */
export function nearest(written: string, names: readonly string[]): string | null {
  const meant = written.toLowerCase();
  const ranked = names
    .map((name) => ({ name, distance: distance(meant, name.toLowerCase()) }))
    .filter((guess) => isNear(meant, guess.name.toLowerCase(), guess.distance))
    .sort((one, other) => one.distance - other.distance);
  return ranked[0]?.name ?? null;
}

/** Allows two edits in short names (such as two swapped letters), and a third of the letters in long ones. */
function isNear(written: string, name: string, distance: number): boolean {
  const longer = Math.max(written.length, name.length);
  if (distance <= Math.min(Math.max(2, longer / 3), longer / 2)) return true;
  const shorter = Math.min(written.length, name.length);
  return (
    shorter >= shortestPart &&
    (name.includes(written) || written.includes(name) || isAbbreviation(written, name))
  );
}

/** Checks whether `written` begins like the name and omits some of its other letters: `msg` for `message`. */
function isAbbreviation(written: string, name: string): boolean {
  if (written[0] !== name[0]) return false;
  let at = 0;
  for (const letter of name) if (letter === written[at]) at += 1;
  return at === written.length;
}

/** Computes the Levenshtein distance, row by row. */
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

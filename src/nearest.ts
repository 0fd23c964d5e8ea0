/** Guesses what somebody meant to write. */

/** From so many characters on a name is near that holds what was written, is held by it, or is abbreviated by it. */
const shortestPart = 3;

/** Gives the name that takes the fewest changed letters; null where every name is so far that it was hardly meant. */
export function nearest(written: string, names: readonly string[]): string | null {
  const meant = written.toLowerCase();
  const ranked = names
    .map((name) => ({ name, distance: distance(meant, name.toLowerCase()) }))
    .filter((guess) => isNear(meant, guess.name.toLowerCase(), guess.distance))
    .sort((one, other) => one.distance - other.distance);
  return ranked[0]?.name ?? null;
}

/** Two letters are a slip in short names already (two that changed places), a third of all letters in long ones. */
function isNear(written: string, name: string, distance: number): boolean {
  const longer = Math.max(written.length, name.length);
  if (distance <= Math.min(Math.max(2, longer / 3), longer / 2)) return true;
  const shorter = Math.min(written.length, name.length);
  return (
    shorter >= shortestPart &&
    (name.includes(written) || written.includes(name) || isAbbreviation(written, name))
  );
}

/** Whether some letters of a name were left out, not the first: `msg` for `message`. */
function isAbbreviation(written: string, name: string): boolean {
  if (written[0] !== name[0]) return false;
  let at = 0;
  for (const letter of name) if (letter === written[at]) at += 1;
  return at === written.length;
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

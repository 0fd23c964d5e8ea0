/** Sorts responses that PostgreSQL may send in any order. */

/**
 * Sorts each run of neighbouring responses of a kind.
 * @param kind how they begin: "N " for notices, "D " for rows
 * @param mayDiffer whether those before a response may come in another order; by default they may before each
 */
export function sortRuns(
  answers: readonly string[],
  kind: string,
  mayDiffer: (next: string) => boolean = () => true,
): string[] {
  const sorted: string[] = [];
  let run: string[] = [];
  for (const answer of answers) {
    if (answer.startsWith(kind)) run.push(answer);
    else {
      sorted.push(...(mayDiffer(answer) ? run.toSorted() : run), answer);
      run = [];
    }
  }
  return [...sorted, ...run];
}

/** Compares the responses of two servers to a program up to the first difference, and decides whether staging is meant to differ there. */
import type { Program } from './random-program.ts';
import type { Said } from './said.ts';

export interface Difference {
  readonly direct: string;
  readonly staged: string;
  /** The common responses before the difference. */
  readonly alike: readonly string[];
  /** Whether it is a refusal that docs/limits.md or SECURITY.md describes, or the session reads production: the rest cannot be compared. */
  readonly isRefusal: boolean;
}

/** Returns the first difference in transaction states, SQLSTATEs, tags, and the rows at the end; null if there is none. */
export function firstDifference(
  program: Program,
  direct: readonly string[],
  staged: readonly string[],
): Difference | null {
  const [expected, reported] = [eventsOf(direct), eventsOf(staged)];
  const at = reported.findIndex(
    (event, index) => short(event) !== short(expected[index] ?? 'nothing'),
  );
  if (at < 0) return null;
  const [first = 'nothing', second = 'nothing'] = [expected[at], reported[at]];
  const alike = reported.slice(0, at).map(short);
  return { direct: first, staged: second, alike, isRefusal: isRefusal(program, first, second) };
}

/** Returns errors, and ends of statements, also empty ones, and of batches. It includes only the rows of the two queries at the end. */
function eventsOf(answers: readonly string[]): string[] {
  // A connection that was closed has not reached them.
  const isWhole = answers.at(-1) !== 'closed';
  const end = isWhole ? answers.findLastIndex((answer) => answer.startsWith('C ROLLBACK')) : -1;
  return answers.filter((answer, index) =>
    end >= 0 && index > end ? /^[CDEIZc]/.test(answer) : /^[CEIZc]/.test(answer),
  );
}

/**
 * Reduces an error to its SQLSTATE. The unnamed portal sometimes belongs to the service: then it exists, and cannot be run, where it does
 * not exist directly.
 */
export const short = (event: string): string =>
  event
    .replace(/^E S=(\w+).* C=(\w+) M=portal "" .*/s, 'E $1 portal')
    .replace(/^E S=(\w+).* C=(\w+) .*/s, 'E $1 $2');

/** The refusals of staging. */
const refused = /^E .* C=(0A000|55P02|42622) /;

/** The differences in implicit transactions, and in their portals, that docs/limits.md describes. */
const documented: readonly (readonly [RegExp, RegExp])[] = [
  // A query of the service ends an implicit transaction, and with it its snapshot.
  [/^E .* C=25001 /, /./],
  // A parsed write makes a block of the batch, and another statement takes the transaction's snapshot.
  [/^C /, /^E .* C=25001 /],
  [/^E .* C=25P01 /, /^C DECLARE/],
  // Portals end with the implicit transaction.
  [/^E .* C=42P03 /, /^[CE] /],
  [/^C /, /^E .* C=34000 /],
  // A portal whose Bind has failed is none, and not an empty query.
  [/^I /, /^E .* C=(34000|25P02) /],
  // Where a Query has failed in the unnamed portal, PostgreSQL reads memory that it has freed.
  [/^E .* C=(25P02|55000) /, /^E .* C=(25P02|34000) /],
  // The connection ends, as it does directly after a first error.
  [/^E .* C=08P01 /, /^E S=FATAL .* C=08P01 /],
];

/** The service does not follow what code does without its knowledge: for example, a statement that it prepared is not the one that runs. */
const runsCode = /anything\(|!>|FROM lifts/;

/**
 * Returns whether a Query follows extended messages without a Sync between. No driver sends that, and the proxy handles it as a separate
 * batch.
 */
const lacksSync = (said: readonly Said[]): boolean =>
  said.some(
    ({ words }, at) => /^Query/.test(words) && !/^(Query|Sync|$)/.test(said[at - 1]?.words ?? ''),
  );

function isRefusal({ said, role, reads }: Program, direct: string, reported: string): boolean {
  // These reads do not see staged rows.
  if (reads === 'production') return true;
  if (documented.some(([what, how]) => what.test(direct) && how.test(reported))) return true;
  if (refused.test(reported)) return true;
  if (said.some(({ words }) => runsCode.test(words)) || lacksSync(said)) return true;
  // A function writes in a read, which runs READ ONLY whatever the transaction may do.
  if (/^E .* C=25006 /.test(reported))
    return said.some(({ words }) => /\b(wr(_def)?|FROM writes)\b/.test(words));
  // A reader may stage what it may not write. If nothing is staged, PostgreSQL checks rights first.
  return role === 'reader' && /^E .* C=42501 /.test(reported);
}

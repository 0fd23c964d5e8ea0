/** What two servers told of a program, up to where they differ, and whether staging is meant to differ there. */
import type { Program } from './random-program.ts';
import type { Said } from './said.ts';

export interface Difference {
  readonly direct: string;
  readonly staged: string;
  /** What both had told before. */
  readonly alike: readonly string[];
  /** It is a refusal that docs/limits.md or SECURITY.md tells of, or the session reads production: what follows cannot be compared. */
  readonly isRefusal: boolean;
}

/** Gives the first difference in transaction states, SQLSTATEs, tags, and the rows at the end; null when there is none. */
export function firstDifference(
  program: Program,
  direct: readonly string[],
  staged: readonly string[],
): Difference | null {
  const [expected, told] = [eventsOf(direct), eventsOf(staged)];
  const at = told.findIndex((event, index) => short(event) !== short(expected[index] ?? 'nothing'));
  if (at < 0) return null;
  const [first = 'nothing', second = 'nothing'] = [expected[at], told[at]];
  const alike = told.slice(0, at).map(short);
  return { direct: first, staged: second, alike, isRefusal: isRefusal(program, first, second) };
}

/** Errors, ends of statements and of batches; rows only of the queries at the end, of which there are two. */
function eventsOf(answers: readonly string[]): string[] {
  // a connection that was closed has not come to them
  const isWhole = answers.at(-1) !== 'closed';
  const end = isWhole ? answers.findLastIndex((answer) => answer.startsWith('C ROLLBACK')) : -1;
  return answers.filter((answer, index) =>
    end >= 0 && index > end ? /^[CDEZc]/.test(answer) : /^[CEZc]/.test(answer),
  );
}

/**
 * Errors by their SQLSTATE. The unnamed portal is the service's now and then: then it is there, and cannot be run, where
 * there is none directly.
 */
export const short = (event: string): string =>
  event
    .replace(/^E S=(\w+).* C=(\w+) M=portal "" .*/s, 'E $1 portal')
    .replace(/^E S=(\w+).* C=(\w+) .*/s, 'E $1 $2');

/** What staging refuses. */
const refused = /^E .* C=(0A000|55P02|42622) /;

/** What docs/limits.md tells of implicit transactions, and of the portals in them. */
const documented: readonly (readonly [RegExp, RegExp])[] = [
  // what the service asks ends an implicit transaction, and its snapshot with it
  [/^E .* C=25001 /, /./],
  // a parsed write makes a block of the batch, and another statement takes the transaction's snapshot
  [/^C /, /^E .* C=25001 /],
  [/^E .* C=25P01 /, /^C DECLARE/],
  // portals end with the implicit transaction
  [/^E .* C=42P03 /, /^[CE] /],
  [/^C /, /^E .* C=34000 /],
  // the connection ends, as it does directly behind a first error
  [/^E .* C=08P01 /, /^E S=FATAL .* C=08P01 /],
];

/** What code does behind the back of the service is not followed: what it has prepared, for one, is not what runs. */
const runsCode = /anything\(|!>|FROM lifts/;

/** A Query that no Sync parts from extended messages before it: no driver sends that, and here it is a batch of its own. */
const lacksSync = (said: readonly Said[]): boolean =>
  said.some(
    ({ words }, at) => /^Query/.test(words) && !/^(Query|Sync|$)/.test(said[at - 1]?.words ?? ''),
  );

function isRefusal({ said, role, reads }: Program, direct: string, told: string): boolean {
  // what is staged these reads do not see
  if (reads === 'production') return true;
  if (documented.some(([what, how]) => what.test(direct) && how.test(told))) return true;
  if (refused.test(told)) return true;
  if (said.some(({ words }) => runsCode.test(words)) || lacksSync(said)) return true;
  // a function writes in a read, which runs READ ONLY whatever the transaction may do
  if (/^E .* C=25006 /.test(told))
    return said.some(({ words }) => /\b(wr(_def)?|FROM writes)\b/.test(words));
  // what a reader may stage it may not write: where nothing is staged, PostgreSQL looks at rights first
  return role === 'reader' && /^E .* C=42501 /.test(told);
}

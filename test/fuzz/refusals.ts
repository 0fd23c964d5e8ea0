/** The statements that staging refuses although PostgreSQL allows them, as docs/limits.md states: no difference, but counted apart. */
import type { Statement } from './statement.ts';

const refusals: readonly { readonly statement: RegExp; readonly answer: RegExp }[] = [
  {
    statement: /^TRUNCATE /,
    answer: /C=0A000 M=cannot stage TRUNCATE of ".*", which is in a circle of foreign keys by "/,
  },
  {
    statement: /^DELETE .* USING /,
    answer:
      /C=0A000 M=cannot stage writes to ".*": a row was matched several times, and the table has no key /,
  },
  {
    statement: /^MERGE (?!.* THEN (?:INSERT|UPDATE|DELETE))/s,
    answer: /C=25006 M=cannot execute MERGE in a read-only transaction/,
  },
];

export const mayBeRefused = ({ text }: Statement): boolean =>
  refusals.some(({ statement }) => statement.test(text));

export const isRefusal = ({ text }: Statement, staged: readonly string[]): boolean =>
  refusals.some(
    ({ statement, answer }) => statement.test(text) && staged.some((line) => answer.test(line)),
  );

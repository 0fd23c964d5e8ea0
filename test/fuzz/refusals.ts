/** What staging refuses although PostgreSQL allows it, as the README's limits tell: no difference, but counted by itself. */
import type { Statement } from './statement.ts';

const refusals: readonly { readonly statement: RegExp; readonly answer: RegExp }[] = [
  {
    statement: /^TRUNCATE /,
    answer: /C=0A000 M=cannot stage TRUNCATE of ".*", which is in a circle of foreign keys by "/,
  },
];

export const mayBeRefused = ({ text }: Statement): boolean =>
  refusals.some(({ statement }) => statement.test(text));

export const isRefusal = ({ text }: Statement, staged: readonly string[]): boolean =>
  refusals.some(
    ({ statement, answer }) => statement.test(text) && staged.some((line) => answer.test(line)),
  );

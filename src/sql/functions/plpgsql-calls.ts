/** Calls that precede the statements of a PL/pgSQL body. */
import type { ScanToken } from 'libpg-query';
import { scanTokens } from '../parser/parser.ts';
import type { Replacement } from '../splice.ts';
import type { BodyReplacement } from './body-upserts.ts';
import { withCalls } from './body-upserts.ts';

/** Evaluates an expression before a statement, without changing FOUND. */
const precede = (call: string) => `IF ${call} THEN NULL; END IF;`;

/** Returns a body's replacements with the calls that come before statements: before the whole of EXECUTE, RETURN QUERY and FOR, too. */
export function withPrecedingCalls(
  body: Buffer,
  replacements: readonly BodyReplacement[],
): Replacement[] {
  const tokens = scanTokens(body).filter(({ text }) => !/^(--|\/\*)/.test(text));
  return replacements.flatMap((each) => {
    const { call, ...plain } = each;
    const first = tokens.findIndex(({ start }) => start === each.start);
    const outer = tokens[beginning(tokens, first)];
    if (call === undefined || !outer || outer.start === each.start)
      return withCalls([each], precede);
    const { start, end, text } = outer;
    return [plain, ...withCalls([{ start, end, text, call }], precede)];
  });
}

/** Returns the index of the word with which the statement around a query begins, or around the expression that yields its text. */
function beginning(tokens: readonly ScanToken[], place: number): number {
  const isWord = (index: number, word: string) => tokens[index]?.text.toLowerCase() === word;
  const query = isWord(place - 1, 'execute') ? place - 1 : place;
  if (isWord(query - 1, 'query') && isWord(query - 2, 'return')) return query - 2;
  if (!isWord(query - 1, 'in')) return query;
  const loop = tokens.findLastIndex((_, index) => index < query && isWord(index, 'for'));
  const between = tokens.slice(loop, query);
  if (loop < 0 || between.some(({ text }) => text === ';')) return query;
  // a label stands between << and >>
  return isWord(loop - 1, '>>') && isWord(loop - 3, '<<') ? loop - 3 : loop;
}

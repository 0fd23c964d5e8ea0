/**
 * Changes the exception blocks for OTHERS in copies of functions: they handle the errors that functions expect, and pass on refusals of the
 * service.
 */
import type { ScanToken } from 'libpg-query';
import { collectNodes } from '../parser/syntax-tree.ts';
import type { Replacement } from '../splice.ts';

/** SQL for whether the error is passed on. It is not if staging raises it where PostgreSQL does, or if it is one that functions raise. */
const isPassedOn =
  "SQLSTATE OPERATOR(pg_catalog.!~) '^(?:21|22|23|P0|[I-RU-Z][0-9A-Z])'::pg_catalog.text";

const passesOn = `THEN IF ${isPassedOn} THEN RAISE; END IF;`;

/** Returns how often a parsed body names OTHERS in exception blocks. */
const countOthers = (tree: object): number =>
  (collectNodes(tree, 'PLpgSQL_condition') as readonly { readonly condname?: string }[]).filter(
    ({ condname }) => condname === 'others',
  ).length;

interface Handler {
  readonly conditions?: readonly object[];
  readonly action?: readonly Statement[];
}

interface Statement {
  readonly PLpgSQL_stmt_if?: {
    readonly cond?: { readonly PLpgSQL_expr?: { readonly query?: string } };
    readonly then_body?: readonly { readonly PLpgSQL_stmt_raise?: object }[];
  };
}

/** Returns whether each handling of OTHERS in a parsed body begins by passing errors on. */
export const passesOthersOn = (tree: object): boolean =>
  (collectNodes(tree, 'PLpgSQL_exception') as readonly Handler[]).every(
    ({ conditions = [], action = [] }) => countOthers(conditions) === 0 || isPassing(action[0]),
  );

/** Returns whether a statement is the one that `handlersOfOthers` inserts. RAISE without a message raises the same error again. */
function isPassing(statement: Statement | undefined): boolean {
  const { cond, then_body: [first] = [] } = statement?.PLpgSQL_stmt_if ?? {};
  const fields = Object.keys(first?.PLpgSQL_stmt_raise ?? {});
  return cond?.PLpgSQL_expr?.query === isPassedOn && String(fields) === 'lineno,elog_level';
}

/** Returns the words that begin the handling of OTHERS, with their replacements. @param tokens those of a body */
export function handlersOfOthers(tokens: readonly ScanToken[]): Replacement[] {
  const code = tokens.filter(({ text }) => !/^(--|\/\*)/.test(text));
  const words = code.map(({ text }) => text.toLowerCase());
  const handlers = new Map<number, Replacement>();
  for (const [at, word] of words.entries()) {
    if (word !== 'others' || !['when', 'or'].includes(words[at - 1] ?? '')) continue;
    const then = words.indexOf('then', at);
    const isHead = words.slice(at + 1, then).every((each) => /^(?:\w+|'\w+')$/.test(each));
    const token = code[then];
    if (isHead && token)
      handlers.set(token.start, { start: token.start, end: token.end, text: passesOn });
  }
  return [...handlers.values()];
}

/**
 * Returns the texts of expressions without those that were inserted: conditions that pass errors on, one for each handler, and calls. Null
 * if one of them is missing.
 */
export function withoutInserted(
  expressions: readonly { readonly text: Buffer }[],
  handlers: number,
  calls: readonly string[],
): Buffer[] | null {
  const others = expressions.map(({ text }) => text);
  for (const inserted of [...Array.from({ length: handlers }, () => isPassedOn), ...calls]) {
    const place = others.findIndex((text) => text.toString() === inserted);
    if (place < 0) return null;
    others.splice(place, 1);
  }
  return others;
}

/** Finds the defaults of variables that the parser of PL/pgSQL does not return: defaults of records, and of types unknown to it. */
import { scanTokens } from '../parser/parser.ts';
import { collectNodes } from '../parser/syntax-tree.ts';

type Tokens = ReturnType<typeof scanTokens>;

interface Variable {
  readonly default_val?: { readonly PLpgSQL_expr?: { readonly query?: string } };
  readonly cursor_explicit_expr?: object;
}

/**
 * Returns the defaults that are missing in a parsed body, in order; null if one of them is not found in its text.
 * @param tree the parsed body
 */
export function missingDefaults(tree: object, body: Buffer): string[] | null {
  const variables = collectNodes(tree, 'PLpgSQL_var') as readonly Variable[];
  const returned = variables.flatMap(({ default_val, cursor_explicit_expr }) =>
    default_val && !cursor_explicit_expr
      ? [wordsOf(Buffer.from(default_val.PLpgSQL_expr?.query ?? ''))]
      : [],
  );
  const missing = declaredDefaults(body).filter((text) => {
    const place = returned.indexOf(wordsOf(Buffer.from(text)));
    if (place >= 0) returned.splice(place, 1);
    return place < 0;
  });
  return returned.length > 0 ? null : missing;
}

/** Returns the words of a text, without its comments. */
const wordsOf = (text: Buffer) => JSON.stringify(codeOf(text).map((token) => token.text));

const codeOf = (text: Buffer) => scanTokens(text).filter((token) => !/^(--|\/\*)/.test(token.text));

const isWord = (tokens: Tokens, at: number, word: string) =>
  tokens[at]?.text.toLowerCase() === word;

/** Returns the texts of the defaults in the sections of declarations. */
const declaredDefaults = (body: Buffer) =>
  declarationsIn(body).flatMap((declaration) => defaultIn(body, declaration));

/** Returns the declarations of a body, each as its tokens from the name of the variable on. */
export function declarationsIn(body: Buffer): Tokens[] {
  const tokens = codeOf(body);
  const declarations: Tokens[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (!isWord(tokens, at, 'declare')) continue;
    at = behindDeclare(tokens, at);
    while (at < tokens.length && !isWord(tokens, at, 'begin')) {
      const next = tokens.findIndex(({ text }, index) => index >= at && text === ';');
      const end = next < 0 ? tokens.length : next;
      declarations.push(tokens.slice(at, end));
      at = behindDeclare(tokens, end + 1);
    }
  }
  return declarations;
}

function behindDeclare(tokens: Tokens, start: number): number {
  let at = start;
  // guard: a second DECLARE, which PL/pgSQL skips, is not taken for the name of a variable
  while (isWord(tokens, at, 'declare')) at += 1;
  return at;
}

const ofCursors = new Set(['no', 'scroll', 'cursor']);
const opening = new Set([':=', '=', 'default']);

/** Returns the default in a declaration. */
function defaultIn(body: Buffer, declaration: Tokens): string[] {
  if (ofCursors.has(declaration[1]?.text.toLowerCase() ?? '')) return [];
  const sign = declaration.findIndex(({ text }) => opening.has(text.toLowerCase()));
  const [first, last] = [declaration[sign + 1], declaration.at(-1)];
  return sign < 0 || !first || !last ? [] : [body.subarray(first.start, last.end).toString()];
}

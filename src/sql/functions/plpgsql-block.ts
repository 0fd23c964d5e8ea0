/** The text of a PL/pgSQL function as a block within another one. */
import { scanTokens } from '../parser/parser.ts';

const wordsOf = (body: string) =>
  scanTokens(Buffer.from(body)).filter(({ text }) => !/^(--|\/\*)/.test(text));

/** Returns whether a body begins with options such as `#variable_conflict`: these precede a whole body. */
export const hasOptions = (body: string) => wordsOf(body)[0]?.text === '#';

/** Adds the semicolon that a nested block needs, and a function's outermost one may lack. */
export const asStatement = (body: string) =>
  wordsOf(body).at(-1)?.text === ';' ? body : `${body}\n;`;

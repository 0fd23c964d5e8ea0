/** Classifies one text at a time in a thread of its own, so that whoever else is served need not wait for it. */
import { parentPort } from 'node:worker_threads';
import { loadParser } from '../parser/parser.ts';
import { SqlSyntaxError } from '../parser/syntax-error.ts';
import type { Statement } from '../verdict.ts';
import { parseQuery } from './parse-query.ts';

/** A text to be classified. */
export interface Question {
  readonly text: Uint8Array;
  readonly maxBytes: number | undefined;
}

/** A statement by its place in the text that was asked for. */
export type Classified = Pick<Statement, 'start' | 'verdict'> & { readonly end: number };

export type Answer =
  | { readonly classified: readonly Classified[] }
  | { readonly wrong: Pick<SqlSyntaxError, 'message' | 'position' | 'sqlstate'> }
  | { readonly failure: string };

parentPort?.on('message', async (question: Question) => {
  parentPort?.postMessage(await answer(question));
});

async function answer({ text, maxBytes }: Question): Promise<Answer> {
  try {
    // An instance of the parser may be lost with every text.
    await loadParser();
    const statements = parseQuery(Buffer.from(text.buffer), maxBytes);
    return {
      classified: statements.map(({ start, text: own, verdict }) => {
        return { start, end: start + own.length, verdict };
      }),
    };
  } catch (error) {
    if (!(error instanceof SqlSyntaxError)) return { failure: String(error) };
    const { message, position, sqlstate } = error;
    return { wrong: { message, position, sqlstate } };
  }
}

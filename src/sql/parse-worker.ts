/** The program of the parse thread. It runs one task at a time, so the main thread does not block. */
import { parentPort } from 'node:worker_threads';
import { StageError } from '../errors.ts';
import { classifyPlaces } from './classify/classify-apart.ts';
import { readFunctionBody, replaceInBody } from './functions/function-body.ts';
import { withBuffers } from './parser/buffers.ts';
import type { ParseRequest, ParseResponse } from './parser/parse-thread.ts';
import { allowHeavyTexts, loadParser } from './parser/parser.ts';
import { SqlSyntaxError } from './parser/syntax-error.ts';

type Task = (...args: never[]) => unknown;

const tasks: ReadonlyMap<string, Task> = new Map<string, Task>([
  ['classify', classifyPlaces],
  [
    'usesOfBody',
    async (...[text]: Parameters<typeof readFunctionBody>) =>
      (await readFunctionBody(text))?.uses ?? null,
  ],
  ['replaceInBody', replaceInBody],
]);

allowHeavyTexts();
parentPort?.on('message', async (request: ParseRequest) => {
  parentPort?.postMessage(await respond(request));
});

async function respond({ task, args }: ParseRequest): Promise<ParseResponse> {
  try {
    // A previous text may have cost the thread a parser instance.
    await loadParser();
    const run = tasks.get(task) as (...args: readonly unknown[]) => unknown;
    return { result: await run(...withBuffers(args)) };
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): ParseResponse {
  if (error instanceof SqlSyntaxError) {
    const { message, position, sqlstate } = error;
    return { wrong: { message, position, sqlstate } };
  }
  if (!(error instanceof StageError)) return { failure: String(error) };
  const { code, message, hint, sqlstate } = error;
  return { refused: { code, message, hint, sqlstate } };
}

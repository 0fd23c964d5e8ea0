/** The body of a function that only reads: which relations and functions it names, and the same body with other names. */

import { parseThread } from '../parser/parse-thread.ts';
import { isLight } from '../parser/text-weight.ts';
import type { Replacement } from '../splice.ts';
import { spliceBytes } from '../splice.ts';
import type { BodyUses, FunctionBody } from './body-uses.ts';
import { usesOf } from './body-uses.ts';
import { readPlpgsql } from './plpgsql-body.ts';

export interface FunctionText {
  readonly language: 'sql' | 'plpgsql';
  readonly body: string;
  /** `name(arguments) RETURNS result`, as CREATE FUNCTION takes it. */
  readonly head: string;
}

/** Each expression of a body is looked for in the whole of it. */
const longBody = 4096;

/** Reads a body. Gives null for one that may do anything but read, or that runs text it makes up. */
export async function readFunctionBody(text: FunctionText): Promise<FunctionBody | null> {
  if (text.language === 'plpgsql') return readPlpgsql(text.head, text.body);
  const body = Buffer.from(text.body);
  const uses = usesOf(body);
  return uses && { uses, replaced: async (replacements) => spliceBytes(body, replacements) };
}

/** Returns a body with other names in it, as `FunctionBody` does. */
export async function replaceInBody(
  text: FunctionText,
  replacements: readonly Replacement[],
): Promise<Buffer | null> {
  return (await readFunctionBody(text))?.replaced(replacements) ?? null;
}

/**
 * Reads a body as `readFunctionBody` does, where it is heavy in the parse thread.
 * @throws StageError as the thread does
 */
export async function readBodyAnywhere(text: FunctionText): Promise<FunctionBody | null> {
  const body = Buffer.from(text.body);
  // guard: heavy bodies are read apart
  if (body.length <= longBody && isLight(body)) return readFunctionBody(text);
  const ask = (task: string, ...args: readonly unknown[]) =>
    parseThread.run({ task, args: [text, ...args] }, body.length);
  const uses = (await ask('usesOfBody')) as BodyUses | null;
  return (
    uses && {
      uses,
      replaced: async (replacements) => (await ask('replaceInBody', replacements)) as Buffer | null,
    }
  );
}

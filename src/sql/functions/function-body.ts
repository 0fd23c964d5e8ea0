/** Parses the body of a function: the relations and functions that it names, and the same body with names replaced. */

import { parseThread } from '../parser/parse-thread.ts';
import { plpgsqlFault } from '../parser/parser.ts';
import type { SqlSyntaxError } from '../parser/syntax-error.ts';
import { isLight } from '../parser/text-weight.ts';
import { spliceBytes } from '../splice.ts';
import type { BodyReplacement } from './body-upserts.ts';
import { withCalls } from './body-upserts.ts';
import type { BodyUses, Extent, FunctionBody } from './body-uses.ts';
import { usesOf } from './body-uses.ts';
import type { TriggerFacts } from './fold-text.ts';
import { readPlpgsql } from './plpgsql-body.ts';

export interface FunctionText {
  readonly language: 'sql' | 'plpgsql';
  readonly body: string;
  /** `name(arguments) RETURNS result`, as in CREATE FUNCTION. */
  readonly head: string;
  /** By default, it may only read. */
  readonly extent?: Extent;
  /** The names of transition tables, of which it may use whole rows. */
  readonly tables?: readonly string[];
  /** Set for the function of a trigger. */
  readonly facts?: TriggerFacts;
}

/** Longer bodies go to the parse thread: each expression of a body is searched for in the whole body. */
const longBody = 4096;

/** Parses a body. Returns null for one with a statement beyond the extent, or that runs a text built at run time. */
export async function readFunctionBody(text: FunctionText): Promise<FunctionBody | null> {
  if (text.language === 'plpgsql')
    return readPlpgsql(text.head, text.body, text.extent, text.tables, text.facts);
  const body = Buffer.from(text.body);
  const uses = usesOf(body, text.extent);
  const replaced = async (replacements: readonly BodyReplacement[]) =>
    spliceBytes(
      body,
      withCalls(replacements, (call) => `SELECT ${call};`),
    );
  return uses && { uses, replaced };
}

/** Returns a body with names replaced, as `FunctionBody.replaced` does. */
export async function replaceInBody(
  text: FunctionText,
  replacements: readonly BodyReplacement[],
): Promise<Buffer | null> {
  return (await readFunctionBody(text))?.replaced(replacements) ?? null;
}

/**
 * Parses a body as `readFunctionBody` does. A heavy body is parsed in the parse thread.
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

/** Returns the error of a DO block's syntax; null if it has none, or is too heavy to be parsed in this thread. */
export async function faultOfBlock(text: string): Promise<SqlSyntaxError | null> {
  const body = Buffer.from(text);
  if (body.length > longBody || !isLight(body) || text.includes('$body$')) return null;
  const made = `CREATE FUNCTION inline_code_block() RETURNS void LANGUAGE plpgsql AS $body$${text}$body$`;
  return plpgsqlFault(Buffer.from(made), body);
}

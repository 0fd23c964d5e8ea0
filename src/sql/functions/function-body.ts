/** The body of a function that only reads: which relations and functions it names, and the same body with other names. */

import { spliceBytes } from '../splice.ts';
import type { FunctionBody } from './body-uses.ts';
import { usesOf } from './body-uses.ts';
import { readPlpgsql } from './plpgsql-body.ts';

export interface FunctionText {
  readonly language: 'sql' | 'plpgsql';
  readonly body: string;
  /** `name(arguments) RETURNS result`, as CREATE FUNCTION takes it. */
  readonly head: string;
}

/** Reads a body. Gives null for one that may do anything but read, or that runs text it makes up. */
export async function readFunctionBody(text: FunctionText): Promise<FunctionBody | null> {
  if (text.language === 'plpgsql') return readPlpgsql(text.head, text.body);
  const body = Buffer.from(text.body);
  const uses = usesOf(body);
  return uses && { uses, replaced: async (replacements) => spliceBytes(body, replacements) };
}

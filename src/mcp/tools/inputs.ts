/** Arguments that several tools take. */
import { z } from 'zod';

export const sql = z
  .string()
  .min(1)
  .max(1_000_000)
  .describe('One SQL statement; values go into params as $1, $2, ...');

export const params = z
  .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .max(1000)
  .optional()
  .describe('Values of $1, $2, ... in order; JSON, arrays and numbers of many digits as text');

export const maxRows = z
  .int()
  .min(1)
  .max(1000)
  .default(100)
  .describe('How many rows to give at most');

/** Text without characters that act: line breaks and tabs may stand in it. */
export const message = z
  .string()
  .min(1)
  .max(2000)
  .regex(/^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u, 'control characters are not allowed');

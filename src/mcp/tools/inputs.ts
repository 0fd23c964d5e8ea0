/** Arguments that several tools share. */
import { z } from 'zod';
import { isJsonObject } from '../../model/json.ts';

export const sql = z
  .string()
  .min(1)
  .max(1_000_000)
  .meta({
    description: 'One SQL statement; values go into params as $1, $2, ...',
    examples: ['SELECT name FROM products WHERE id = $1'],
  });

export const params = z
  .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .max(1000)
  .optional()
  .meta({
    description: 'Values of $1, $2, ... in order; JSON, arrays and numbers of many digits as text',
    examples: [[7]],
  });

export const maxRows = z
  .int()
  .min(1)
  .max(1000)
  .default(100)
  .meta({ description: 'How many rows to give at most', examples: [100] });

/** Text without control characters, except line breaks and tabs. */
export const message = z
  .string()
  .min(1)
  .max(2000)
  .regex(/^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u, 'a text without control characters');

/** The name of a table, as `list_tables` and `show_diff` return it. */
export const tableName = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: 'Only this table', examples: ['products'] });

/** The key of a row, as `row_id` of `show_diff`. */
export const rowKey = z.union([
  z.int(),
  z.string().max(2000),
  // a record of zod would drop a member called __proto__
  z.unknown().refine(isJsonObject, 'must be an object').meta({ type: 'object' }),
]);

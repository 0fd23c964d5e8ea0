/** Schemas of the request that unstages rows, and of its response. */
import { z } from 'zod';
import { unstagedShape } from '../../model/edits.ts';
import { faultOfKey, jsonObject, shortText } from './inputs.ts';
import { schemaOf } from './noun-schema.ts';
import { session } from './outputs.ts';

/** Nobody lists more rows by hand. All rows of a table can be selected by the table. */
export const mostRows = 10_000;

/** A row's key as diffs show it. Numbers beyond JavaScript's precision are texts there. */
export const key = z.union([z.int(), z.string(), jsonObject]).superRefine((value, context) => {
  const fault = faultOfKey(JSON.stringify(value));
  if (fault !== null) context.addIssue(fault);
});

/** Staged rows, or all rows of tables. */
export const choices = z
  .array(
    z.strictObject({
      table: shortText,
      row_id: key.nullish().meta({ description: 'Left out for all rows of the table' }),
    }),
  )
  .min(1)
  .max(mostRows);

export const unstageBody = z.strictObject({
  rows: choices,
  with_dependents: z.boolean().nullish().meta({
    description: 'Takes out dependent rows, too',
  }),
});

export const unstagedSession = session.extend(schemaOf(unstagedShape).shape);

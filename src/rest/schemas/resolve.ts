/** Schemas of the request that resolves conflicts, and of its response. */
import { z } from 'zod';
import { resolvedShape } from '../../model/edits.ts';
import { sides } from '../../review/edits/resolution.ts';
import { shortText } from './inputs.ts';
import { schemaOf } from './noun-schema.ts';
import { session } from './outputs.ts';
import { key, mostRows } from './unstage.ts';

const side = z.enum(sides);

export const resolveBody = z
  .strictObject({
    resolutions: z
      .array(
        z.strictObject({
          table: shortText,
          row_id: key.nullable().meta({ description: 'null of a conflict about the table itself' }),
          field: z.string().max(200).nullish().meta({
            description: 'One column; left out for all conflicts of the row',
          }),
          take: side,
          production_current: z.unknown().optional().meta({
            description:
              'What production has there, as the caller saw it: refused if it has changed',
          }),
        }),
      )
      .min(1)
      .max(mostRows)
      .nullish(),
    all: side.nullish().meta({ description: 'Settles all conflicts this way' }),
    with_dependents: z.boolean().nullish().meta({
      description: 'Takes out rows that depend on rows that are given up, too',
    }),
  })
  .refine(({ resolutions, all }) => (resolutions == null) !== (all == null), {
    message: 'either resolutions or all',
  });

export const resolvedSession = session.extend(schemaOf(resolvedShape).shape);

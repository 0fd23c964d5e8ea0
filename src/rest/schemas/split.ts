/** Schemas of the request that splits a session, of its response, and of what other requests say about parts. */
import { z } from 'zod';
import { splitShape } from '../../model/edits.ts';
import { schemaOf } from './noun-schema.ts';
import { session } from './outputs.ts';
import { choices } from './unstage.ts';

export const withTies = z.boolean().nullish().meta({
  description: 'Includes the rows without which the part, or the rest, could not be applied',
});

export const splitBody = z.strictObject({ only: choices, with_ties: withTies });

export const only = choices.nullish().meta({
  description: 'The rows to apply; all others go to a new session. Left out for all rows',
});

export const splitSession = session.extend(schemaOf(splitShape).shape);

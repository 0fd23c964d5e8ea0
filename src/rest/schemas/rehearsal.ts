/** Schema of the response to a rehearsal. */
import { z } from 'zod';
import { rehearsalShape } from '../../model/rehearsal.ts';
import { schemaOf } from './noun-schema.ts';
import { sessionIds } from './outputs.ts';

export const rehearsal = z
  .object({ ...sessionIds, ...schemaOf(rehearsalShape).shape })
  .meta({ id: 'Rehearsal' });

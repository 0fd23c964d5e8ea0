/** Schemas of the parts of a diff: its outline, and pages of changes and steps. */
import { z } from 'zod';
import { changePageShape, numberedStepShape, tableOutlineShape } from '../../model/change.ts';
import { schemaOf, schemaOfField } from './noun-schema.ts';
import { sessionIds } from './outputs.ts';

const revision = schemaOfField(changePageShape.members.revision);
const stepNumber = schemaOfField(numberedStepShape.members.number);

export const outline = z
  .object({
    ...sessionIds,
    revision,
    tables: z.record(z.string(), schemaOf(tableOutlineShape)),
  })
  .meta({ id: 'Outline' });

export const stepPage = z
  .object({
    ...sessionIds,
    revision,
    steps: z.array(schemaOf(numberedStepShape)),
    next_cursor: stepNumber.nullable().meta({ description: 'Where to read on; null at the end' }),
  })
  .meta({ id: 'StepPage' });

export const changePage = z
  .object({ ...sessionIds, ...schemaOf(changePageShape).shape })
  .meta({ id: 'ChangePage' });

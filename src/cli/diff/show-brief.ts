/** `stage diff --brief`: what a diff means, without its changes. */
import { briefLines } from '../../client/brief-words.ts';
import { StageError } from '../../errors.ts';
import { changesIn } from '../../model/change.ts';
import type { Connection, Context } from '../context.ts';
import { briefMarkdown } from './brief.ts';
import type { DiffOutput } from './plain.ts';

/** Writes a session's brief and returns the number of its changes, including further ones. */
export async function showBrief(
  { out }: Context,
  { api }: Connection,
  id: string,
  output: DiffOutput,
): Promise<number> {
  if (output !== 'text' && output !== 'json' && output !== 'markdown') {
    throw new StageError('usage', `a brief cannot be written as ${output}`, {
      hint: 'Choose --output text, json or markdown.',
    });
  }
  const { body, value: brief } = await api.readBrief(id);
  if (output === 'json') await out.document(body);
  else if (output === 'markdown') await out.write(briefMarkdown(brief));
  else
    await out.lines(
      brief.tables.length === 0 ? ['No changes.'] : briefLines(brief, out.paint.signs),
    );
  return brief.tables.reduce((sum, each) => sum + changesIn(each) + each.furtherChanges, 0);
}

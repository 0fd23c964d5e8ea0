/** The brief at the head of a diff: what it means, in sentences, and what is unusual. */
import type { ApiClient } from '../../client/api-client.ts';
import { isLeftOut } from '../../client/brief.ts';
import { briefSentences, flagsInWords } from '../../client/brief-words.ts';
import { StageError } from '../../errors.ts';
import type { Brief } from '../../model/brief.ts';
import { markdownCode } from '../output/markdown.ts';

/**
 * Reads the brief at the head of a diff, of one table if it is named. Null if it cannot be read: a diff is shown without it.
 */
export async function briefOfDiff(
  api: ApiClient,
  id: string,
  table: string | undefined,
): Promise<Brief | null> {
  try {
    const { value: brief } = await api.readBrief(id);
    const isShown = (each: { readonly table: string | null }) =>
      table === undefined || each.table === table;
    return {
      ...brief,
      tables: brief.tables.filter(isShown),
      flags: brief.flags.filter(isShown),
      overlaps: brief.overlaps.filter(isShown),
    };
  } catch (error) {
    if (error instanceof StageError && isLeftOut(error.code)) return null;
    throw error;
  }
}

/** At most this many lines of a brief stand at the head of a comment. */
const mostLines = 40;

/** Writes a brief as a list. Counts are left out: the diff has them. */
export function briefMarkdown(brief: Brief): string {
  const lines = [
    ...flagsInWords(brief).map((flag) => `- **!** ${markdownCode(flag)}`),
    ...briefSentences(brief).flatMap(({ table, sentences }) =>
      sentences.map((sentence) => `- ${markdownCode(table)}: ${markdownCode(sentence)}`),
    ),
  ];
  if (lines.length === 0) return '';
  const more = lines.length - mostLines;
  const shown = [...lines.slice(0, mostLines), ...(more > 0 ? [`- and ${more} more`] : [])];
  return `${shown.join('\n')}\n\n`;
}

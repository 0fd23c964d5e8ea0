/** A session's diff as text, for clients that read resources. */
import type { ApiClient } from '../client/api-client.ts';
import { changeBody, countsBody, readChanges } from './changes.ts';
import { heading, showLine } from './data.ts';

const maxLength = 64 * 1024;
const maxChanges = 500;

/** Writes the counts of each table and its changes, one per line, up to a limit. */
export async function diffText({ api }: { readonly api: ApiClient }, id: string): Promise<string> {
  const { value: outline } = await api.readOutline(id);
  const asked = { outline, table: undefined, from: null, limit: maxChanges };
  const [changes, rest] = await readChanges(api, id, asked);
  const bodies = changes.map((change) => changeBody(change, outline));
  const lines = [...outline.tables.map(countsBody), ...bodies].map(showLine);
  let text = `${heading}\n`;
  for (const line of lines) {
    if (text.length + line.length >= maxLength) return `${text}...\n`;
    text += `${line}\n`;
  }
  return rest === null ? text : `${text}...\n`;
}

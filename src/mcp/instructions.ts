/** What a model is told about the tools before it uses them. */
import { readFileSync } from 'node:fs';

/** Reads it from templates, which are as far from the sources as from what they are compiled to. */
export function instructions(pinned: string | null): string {
  const text = readFileSync(
    new URL('../../templates/agents/instructions.md', import.meta.url),
    'utf8',
  );
  if (pinned === null) return text;
  return `${text}\nA session was opened for you already, ${pinned}: all tools work in it, and take no session_id.\n`;
}

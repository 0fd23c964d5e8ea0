/** The instructions that a model gets about the tools. */
import { readFileSync } from 'node:fs';

/** Reads the instructions from templates, whose relative path is the same from the sources and from the compiled code. */
export function instructions(pinned: string | null): string {
  const text = readFileSync(
    new URL('../../templates/agents/instructions.md', import.meta.url),
    'utf8',
  );
  if (pinned === null) return text;
  return `${text}\nA session was opened for you already, ${pinned}: all tools work in it, and take no session_id.\n`;
}

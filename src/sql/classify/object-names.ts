/**
 * Checks the names of prepared statements, portals, cursors and savepoints. PostgreSQL truncates them to 63 bytes, and those of the
 * protocol even within a character, so two names of a client could become one on the server. Names that would be truncated are refused.
 */
import { readName } from '../parser/identifier-reader.ts';
import { scanTokens } from '../parser/parser.ts';
import type { Refusal } from '../refusal.ts';
import type { Control } from '../verdict.ts';
import { refuse } from './refusal.ts';
import { unreadableName } from './refused-parts.ts';
import type { Source } from './relation-uses.ts';
import { isSameName } from './relation-uses.ts';

/** NAMEDATALEN - 1. */
const maxBytes = 63;

/** Minimum length of a name that the parser has truncated, at the boundary of a character of up to four bytes. */
const shortestCut = maxBytes - 3;

/** Returns the refusal of a name that PostgreSQL would truncate, or null. */
export function refuseLongName(name: string): Refusal | null {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (name.length * 3 <= maxBytes) return null;
  const bytes = Buffer.byteLength(name);
  // guard: names that PostgreSQL would cut are refused
  if (bytes <= maxBytes) return null;
  return refuse(
    `name of ${bytes} bytes is longer than the limit of ${maxBytes} bytes`,
    'Choose a shorter name: PostgreSQL would cut it, and take it for another that begins alike.',
    '42622',
  );
}

/** Returns the refusal for the name in an SQL command, or null. The parser has already truncated it, so the text is read. */
export function refuseCutName({ action }: Control, { text }: Source): Refusal | null {
  const parsed = 'name' in action ? action.name : null;
  if (parsed === null || Buffer.byteLength(parsed) < shortestCut) return null;
  const written = scanTokens(text)
    .flatMap(({ start }) => readName(text, start, 1) ?? [])
    .filter(({ name }) => isSameName(name, parsed));
  if (written.length === 0) return unreadableName;
  return written.map(({ name }) => refuseLongName(name)).find((refusal) => refusal) ?? null;
}

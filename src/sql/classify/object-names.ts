/**
 * Names of prepared statements, portals, cursors and savepoints. PostgreSQL cuts them at 63 bytes, those of the protocol even
 * within a letter, so that two names of a client's would be one of the server's: whatever would be cut is refused.
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

/** What the parser leaves of a longer name, which it cuts where a letter of up to four bytes begins. */
const shortestCut = maxBytes - 3;

/** The refusal of a name that PostgreSQL would cut, or null. */
export function refuseLongName(name: string): Refusal | null {
  // Of no character are there more bytes than three times its UTF-16 units.
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

/** The same for the name in an SQL command, which the parser has cut already. */
export function refuseCutName({ action }: Control, { text }: Source): Refusal | null {
  const parsed = 'name' in action ? action.name : null;
  if (parsed === null || Buffer.byteLength(parsed) < shortestCut) return null;
  const written = scanTokens(text)
    .flatMap(({ start }) => readName(text, start, 1) ?? [])
    .filter(({ name }) => isSameName(name, parsed));
  if (written.length === 0) return unreadableName;
  return written.map(({ name }) => refuseLongName(name)).find((refusal) => refusal) ?? null;
}

/**
 * The SQL that may go upstream. `UpstreamWriter` accepts texts of this type only, and only this file creates them: a read, a write
 * whose targets have all been replaced, a command that controls the transaction or the session, or an internal text. A client's
 * original text of a write cannot become one.
 */

import type { Read } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import { spliceBytes } from '../sql/splice.ts';
import type { Statement } from '../sql/verdict.ts';
import type { Write } from '../sql/write.ts';
import type { SentText } from './position-map.ts';

declare const isChecked: unique symbol;

export interface UpstreamText {
  /** `read`: it may run only where PostgreSQL prevents writes. */
  readonly kind: 'read' | 'staged' | 'control' | 'internal';
  readonly bytes: Buffer;
  /** The message for the text, if it exists already: the client's, if nothing was replaced in it. */
  readonly frame: Buffer | null;
  readonly [isChecked]: true;
}

function checked(
  kind: UpstreamText['kind'],
  bytes: Buffer,
  frame: Buffer | null = null,
): UpstreamText {
  return { kind, bytes, frame } as UpstreamText;
}

/**
 * Wraps an internal text. Texts of clients are Buffers.
 * @param frame the Parse message for it, if it exists already
 */
export function internalText(text: string, frame: Buffer | null = null): UpstreamText {
  return checked('internal', Buffer.from(text), frame);
}

/** Replaces upstream a statement that is refused when it is run. */
export const refusedText = internalText(`SET LOCAL stage.refused = ''`);

/**
 * Returns a statement of the client as it is to be sent.
 * @throws Error when it is a write that would reach production
 */
export function statementText(
  { start, verdict }: Statement,
  sent: SentText,
  frame: Buffer | null = null,
): UpstreamText {
  const offset = start - sent.start;
  switch (verdict.kind) {
    case 'refuse':
      throw new Error('a refused statement was about to be sent');
    case 'read':
      return checked('read', sent.sent, frame);
    case 'write':
      return stagedText(verdict, sent, offset, frame);
    case 'control': {
      const { action } = verdict;
      if (action.type === 'prepare' && action.body.kind === 'write')
        return stagedText(action.body, sent, offset, frame);
      return checked(readsByControl.has(action.type) ? 'read' : 'control', sent.sent, frame);
    }
  }
}

/** Commands that run queries. EXECUTE is not among them, because it may run a statement that was prepared as a write. */
const readsByControl: ReadonlySet<string> = new Set(['declare', 'fetch', 'close', 'pass']);

/**
 * Returns a statement that is staged, after a check that none of its targets is left as the client wrote it.
 * @param offset of the write's places from the start of the sent text
 */
function stagedText(
  write: Write,
  { sent, replacements }: SentText,
  offset: number,
  frame: Buffer | null,
): UpstreamText {
  for (const { target, name, ...place } of write.relations) {
    const isReplaced = replacements.some(
      ({ start, end }) => start <= place.start + offset && end >= place.end + offset,
    );
    // guard: no write is sent as the client wrote it
    if (target !== null && !isReplaced)
      throw new Error(`a write to "${name}" was about to be sent as the client wrote it`);
  }
  const [procedure] = write.form === 'query' && write.stagesCalls === 'CALL' ? write.called : [];
  // a second check, like that of targets
  if (procedure && !replacements.some(({ start }) => start === procedure.start + offset))
    throw new Error(`a call of "${procedure.name}" was about to be sent as the client wrote it`);
  const block = write.form === 'query' ? write.block : undefined;
  // a second check, like that of targets
  if (block && !replacements.some(({ start }) => start === block.start + offset))
    throw new Error('a block was about to be sent as the client wrote it');
  return checked('staged', sent, frame);
}

/** Returns the client's whole text, which contains only reads, or commands that affect neither transaction nor rows. */
export function readsText(
  bytes: Buffer,
  { passes, reads }: { readonly passes: boolean; readonly reads: number },
  frame: Buffer | null,
): UpstreamText {
  if (!passes) throw new Error('a text was about to be sent whole that needs to be staged');
  return checked(reads > 0 ? 'read' : 'control', bytes, frame);
}

/** Returns a text without a statement. */
export function emptyText(
  { text, statements }: { readonly text: Buffer; readonly statements: readonly Statement[] },
  frame: Buffer,
): UpstreamText {
  if (statements.length > 0)
    throw new Error('a text was about to be sent without being classified');
  return checked('internal', text, frame);
}

/** Returns a read that was rewritten so that it locks its result rows for the session, in the service's own tables. */
export function lockingText(_: Read, { sent }: SentText): UpstreamText {
  return checked('staged', sent);
}

/** Returns an EXECUTE of an internal statement with the client's expressions as arguments. */
export function argumentsText({ sent }: SentText): UpstreamText {
  return checked('staged', sent);
}

/** A statement in the text that the client sent. */
export interface WrittenStatement {
  readonly written: Buffer;
  /** The byte offset of the statement in it. */
  readonly start: number;
  readonly statement: Buffer;
}

const explain = 'EXPLAIN ';

/**
 * Returns an EXPLAIN of a statement of the client: PostgreSQL analyses and plans the statement, and does not run it.
 * @param inStatement replacements that turn a statement into one that EXPLAIN accepts
 */
export function explained(
  { written, start, statement }: WrittenStatement,
  inStatement: readonly Replacement[] = [],
): { readonly text: UpstreamText; readonly sentText: SentText } {
  const replacements = [{ start: 0, end: 0, text: explain }, ...inStatement];
  const sent = spliceBytes(statement, replacements);
  return { text: checked('read', sent), sentText: { written, start, sent, replacements } };
}

/** Returns a CALL of the client that is only parsed: PostgreSQL looks up the procedure, and does not run it. */
export function analysedCall({ written, start, statement }: WrittenStatement): {
  readonly text: UpstreamText;
  readonly sentText: SentText;
} {
  const sentText = { written, start, sent: statement, replacements: [] };
  return { text: checked('read', statement), sentText };
}

/** Returns a PREPARE of an empty query, with the parameter types of the client's PREPARE. */
export function typesText({ sent }: SentText): UpstreamText {
  return checked('read', sent);
}

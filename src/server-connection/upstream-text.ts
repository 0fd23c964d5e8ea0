/**
 * The SQL that may go upstream. `UpstreamWriter` takes no text of any other type, and a text of this type is made here alone: a
 * read, a write whose targets have all been replaced, a command that controls the transaction or the session, or a text of
 * the proxy's own. The client's words for a write cannot be made into one.
 */

import type { Read } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import { spliceBytes } from '../sql/splice.ts';
import type { Statement } from '../sql/verdict.ts';
import type { Write } from '../sql/write.ts';
import type { SentText } from './position-map.ts';

declare const isChecked: unique symbol;

export interface UpstreamText {
  /** `read`: it may run only where PostgreSQL lets nothing be written. */
  readonly kind: 'read' | 'staged' | 'control' | 'internal';
  readonly bytes: Buffer;
  /** The message that brings the text, where it is made already: the client's, if nothing of it was replaced. */
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
 * A text that the proxy writes itself; what clients write comes as a Buffer.
 * @param frame the Parse message that brings it, where it is made already
 */
export function internalText(text: string, frame: Buffer | null = null): UpstreamText {
  return checked('internal', Buffer.from(text), frame);
}

/** Stands upstream in the place of a statement that is refused when it is run. */
export const refusedText = internalText(`SET LOCAL stage.refused = ''`);

/**
 * A statement of the client's, as it is to be sent.
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

/** Commands that run queries: an EXECUTE of a write runs what was prepared as one. */
const readsByControl: ReadonlySet<string> = new Set(['declare', 'fetch', 'close', 'pass']);

/** @param offset of the write's places from the beginning of what was sent */
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
  return checked('staged', sent, frame);
}

/** The client's whole text, which holds nothing but reads, or commands that touch neither transaction nor rows. */
export function readsText(
  bytes: Buffer,
  { passes, reads }: { readonly passes: boolean; readonly reads: number },
  frame: Buffer | null,
): UpstreamText {
  if (!passes) throw new Error('a text was about to be sent whole that needs to be staged');
  return checked(reads > 0 ? 'read' : 'control', bytes, frame);
}

/** A text without a statement in it. */
export function emptyText(
  { text, statements }: { readonly text: Buffer; readonly statements: readonly Statement[] },
  frame: Buffer,
): UpstreamText {
  if (statements.length > 0)
    throw new Error('a text was about to be sent without being classified');
  return checked('internal', text, frame);
}

/** A read, rewritten so that it locks the rows that it gives for the session, in the service's own tables. */
export function lockingText(_: Read, { sent }: SentText): UpstreamText {
  return checked('staged', sent);
}

/** An EXECUTE of a statement of the proxy's own, which is given expressions of the client's. */
export function argumentsText({ sent }: SentText): UpstreamText {
  return checked('staged', sent);
}

/** A statement in the text that the client sent. */
export interface WrittenStatement {
  readonly written: Buffer;
  /** Where in it the statement begins. */
  readonly start: number;
  readonly statement: Buffer;
}

const explain = 'EXPLAIN ';

/**
 * An EXPLAIN of a statement of the client's: PostgreSQL analyses and plans it, and runs nothing.
 * @param inStatement what makes of a statement that cannot be explained one that can
 */
export function explained(
  { written, start, statement }: WrittenStatement,
  inStatement: readonly Replacement[] = [],
): { readonly text: UpstreamText; readonly sentText: SentText } {
  const replacements = [{ start: 0, end: 0, text: explain }, ...inStatement];
  const sent = spliceBytes(statement, replacements);
  return { text: checked('read', sent), sentText: { written, start, sent, replacements } };
}

/** A PREPARE of nothing, with the types that the client's PREPARE gives its parameters. */
export function typesText({ sent }: SentText): UpstreamText {
  return checked('read', sent);
}

/** The messages that are the same for all internal statements. They are built once. */
import {
  bindMessage,
  closeMessage,
  describeMessage,
  executeMessage,
  parseMessage,
} from '../wire/frontend-messages.ts';
import type { InternalStatement } from './internal-statement.ts';
import { internalPrefix } from './reserved-names.ts';
import { internalText } from './upstream-text.ts';

/** The name of the statement and of its portal. */
export const step = `${internalPrefix}step`;

const readOnlyText = 'SET transaction_read_only = on';

/** The messages that make a transaction READ ONLY, in order. */
const inOrder = [
  closeMessage({ kind: 'statement', name: step }),
  parseMessage({ name: step, text: readOnlyText }),
  bindMessage({ portal: step, statement: step, values: [], formats: [] }),
  executeMessage(step),
  closeMessage({ kind: 'portal', name: step }),
] as const;

// Adjacent buffers are written to a socket in one piece.
const [closeStatement, parse, bind, execute, closePortal] = sideBySide(inOrder);

const describePortal = describeMessage({ kind: 'portal', name: step });

/** Bind and Execute are those of a statement without parameters. */
export const stepMessages = { closeStatement, bind, describePortal, execute, closePortal };

/** Makes the running transaction READ ONLY. Outside of a block SET LOCAL would cause a warning; this ends with the transaction as well. */
export const toReadOnly: InternalStatement = { text: internalText(readOnlyText, parse) };

function sideBySide<T extends readonly Buffer[]>(frames: T): T {
  const all = Buffer.concat(frames);
  let end = 0;
  return frames.map(({ length }) => {
    end += length;
    return all.subarray(end - length, end);
  }) as unknown as T;
}

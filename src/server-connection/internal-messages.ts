/**
 * Sends internal statements between the client's messages, in the extended protocol. Statement and portal have reserved names, so that the
 * client's unnamed statement, its portals and its statements remain untouched.
 */
import { bindMessage, closeMessage, executeMessage } from '../wire/frontend-messages.ts';
import { deliver } from './error-mapping.ts';
import type { InternalCall, InternalStatement } from './internal-statement.ts';
import { pinning } from './internal-texts.ts';
import type { ErrorHandler } from './pending-response.ts';
import { hiddenClose, PendingResponse } from './pending-response.ts';
import type { PreparedStatementCache } from './prepared-statement-cache.ts';
import { internalPrefix } from './reserved-names.ts';
import { step, stepMessages } from './step-messages.ts';
import { internalText } from './upstream-text.ts';
import type { UpstreamWriter } from './upstream-writer.ts';

const pinName = `${internalPrefix}pin`;

export class InternalMessages {
  protected readonly link: UpstreamWriter;

  constructor(link: UpstreamWriter) {
    this.link = link;
    link.pinBy(() => this.pin());
  }

  /** Sets the settings that determine how a text is read. Code that has run may have changed them. */
  private pin(): void {
    // The name is separate, because this runs between the messages of another internal statement.
    this.execute({ text: pinning }, pinName, {}, pinName);
    this.link.send(closeMessage({ kind: 'portal', name: pinName }), hiddenClose);
  }

  /** Runs an internal statement. */
  run(statement: InternalStatement, call: InternalCall = {}): void {
    this.execute(statement, step, call);
    this.closeStep();
  }

  /** Prepares an internal statement under its own name, for another internal text that executes it directly afterwards. */
  prepare(
    name: string,
    { text, types = [] }: InternalStatement,
    onError: ErrorHandler,
    onDone?: () => void,
  ): void {
    // Closing a missing statement is no error, but parsing an existing name is.
    const close =
      name === step ? stepMessages.closeStatement : closeMessage({ kind: 'statement', name });
    this.link.send(close, hiddenClose);
    const sent = typeof text === 'string' ? internalText(text) : text;
    const expected = new PendingResponse('parse', 'nothing', { onError, onDone });
    this.link.parse({ name, text: sent, types }, expected);
  }

  /** Recreates a portal of the client. */
  bindAgain(portal: string, frame: Buffer, onError: ErrorHandler): void {
    this.link.send(closeMessage({ kind: 'portal', name: portal }), hiddenClose);
    this.link.send(frame, new PendingResponse('bind', 'nothing', { onError }));
  }

  /** Closes the portal of the last internal statement. If that statement failed, the portal exists until the transaction is rolled back. */
  protected closeStep(): void {
    this.link.send(stepMessages.closePortal, hiddenClose);
  }

  /** Prepares and runs a statement. */
  protected execute(
    statement: InternalStatement,
    portal: string,
    call: InternalCall,
    name: string = step,
  ): void {
    this.prepare(name, statement, call.onError ?? deliver);
    this.bindAndExecute(name, portal, call);
  }

  /** Runs a statement that stays prepared. */
  protected executeCached(
    cache: PreparedStatementCache,
    statement: InternalStatement,
    portal: string,
    call: InternalCall,
  ): void {
    const prepare = (name: string, onDone: () => void) =>
      this.prepare(name, statement, call.onError ?? deliver, onDone);
    const { name, onFailure } = cache.use(statement, prepare);
    this.bindAndExecute(name, portal, call, onFailure);
  }

  private bindAndExecute(
    name: string,
    portal: string,
    call: InternalCall,
    onUnbound?: () => void,
  ): void {
    const {
      onError = deliver,
      onRow,
      onDone,
      onNotice,
      onFailure,
      values = [],
      formats = [],
    } = call;
    const isBare = values.length === 0 && portal === step && name === step;
    const bind = isBare
      ? stepMessages.bind
      : bindMessage({ portal, statement: name, values, formats });
    const unbound = { onError, onFailure: onUnbound };
    this.link.send(bind, new PendingResponse('bind', 'nothing', unbound));
    const expected = new PendingResponse('execute', 'nothing', {
      onError,
      onRow,
      onDone,
      onNotice,
      onFailure,
    });
    this.link.send(portal === step ? stepMessages.execute : executeMessage(portal), expected);
  }
}

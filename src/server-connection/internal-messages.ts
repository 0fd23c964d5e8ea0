/**
 * How a statement of the proxy's own is sent between the client's messages. It uses a statement and a portal of reserved names in the
 * extended protocol, so that the client's unnamed statement, its portals and its statements are left alone.
 */
import { bindMessage, closeMessage, executeMessage } from '../wire/frontend-messages.ts';
import { deliver } from './error-mapping.ts';
import type { InternalCall, InternalStatement } from './internal-statement.ts';
import { pinning } from './internal-texts.ts';
import type { KeptStatements } from './kept-statements.ts';
import type { ErrorHandler } from './pending-response.ts';
import { hiddenClose, PendingResponse } from './pending-response.ts';
import { ownPrefix } from './reserved-names.ts';
import { step, stepMessages } from './step-messages.ts';
import { internalText } from './upstream-text.ts';
import type { UpstreamWriter } from './upstream-writer.ts';

const pinName = `${ownPrefix}pin`;

export class InternalMessages {
  protected readonly link: UpstreamWriter;

  constructor(link: UpstreamWriter) {
    this.link = link;
    link.pinBy(() => this.pin());
  }

  /** Sets the settings by which texts are read, which code that has run may have changed. */
  private pin(): void {
    // Under a name of its own: it comes between the messages of another statement of ours.
    this.execute({ text: pinning }, pinName, {}, pinName);
    this.link.send(closeMessage({ kind: 'portal', name: pinName }), hiddenClose);
  }

  /** Runs a statement of ours. */
  run(statement: InternalStatement, call: InternalCall = {}): void {
    this.execute(statement, step, call);
    this.closeStep();
  }

  /** Prepares a statement of ours under a name of its own, for a text of ours that executes it right afterwards. */
  prepare(
    name: string,
    { text, types = [] }: InternalStatement,
    onError: ErrorHandler,
    onDone?: () => void,
  ): void {
    // Closing what may not be there is no error; parsing a name that is there would be.
    const close =
      name === step ? stepMessages.closeStatement : closeMessage({ kind: 'statement', name });
    this.link.send(close, hiddenClose);
    const sent = typeof text === 'string' ? internalText(text) : text;
    const expected = new PendingResponse('parse', 'nothing', { onError, onDone });
    this.link.parse({ name, text: sent, types }, expected);
  }

  /** Makes a portal of the client's anew. */
  bindAgain(portal: string, frame: Buffer, onError: ErrorHandler): void {
    this.link.send(closeMessage({ kind: 'portal', name: portal }), hiddenClose);
    this.link.send(frame, new PendingResponse('bind', 'nothing', { onError }));
  }

  /** What has failed may have been a statement of ours, whose portal is there until the transaction is rolled back. */
  protected closeStep(): void {
    this.link.send(stepMessages.closePortal, hiddenClose);
  }

  /** Runs a statement that is parsed right before. */
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
  protected executeKept(
    kept: KeptStatements,
    statement: InternalStatement,
    portal: string,
    call: InternalCall,
  ): void {
    const prepare = (name: string, onDone: () => void) =>
      this.prepare(name, statement, call.onError ?? deliver, onDone);
    const { name, onFailure } = kept.use(statement, prepare);
    this.bindAndExecute(name, portal, call, onFailure);
  }

  private bindAndExecute(
    name: string,
    portal: string,
    call: InternalCall,
    onFailure?: () => void,
  ): void {
    const { onError = deliver, onRow, onDone, onNotice, values = [], formats = [] } = call;
    const isBare = values.length === 0 && portal === step && name === step;
    const bind = isBare
      ? stepMessages.bind
      : bindMessage({ portal, statement: name, values, formats });
    this.link.send(bind, new PendingResponse('bind', 'nothing', { onError, onFailure }));
    const expected = new PendingResponse('execute', 'nothing', {
      onError,
      onRow,
      onDone,
      onNotice,
    });
    this.link.send(portal === step ? stepMessages.execute : executeMessage(portal), expected);
  }
}

/**
 * Routes each server message by the request that it responds to: to the client, to an internal step, or nowhere.
 * Rows are not inspected: they belong to the first entry of the queue, and pass in pieces as large as they arrived.
 */
import { StageError } from '../errors.ts';
import { transactionStatus } from '../wire/backend-decoder.ts';
import type { TransactionStatus } from '../wire/backend-messages.ts';
import { commandComplete } from '../wire/backend-messages.ts';
import type { Receiver } from '../wire/backend-scanner.ts';
import { BackendScanner } from '../wire/backend-scanner.ts';
import { decodeErrorFields, endsConnection } from '../wire/error-fields.ts';
import { backend, codeName } from '../wire/message-codes.ts';
import { ExpectedResponses } from './expected-responses.ts';
import type { PendingResponse } from './pending-response.ts';
import { isParticular, roleOf, roles } from './pending-response.ts';
import { ResponseBuffer } from './response-buffer.ts';
import { SettingReports } from './setting-reports.ts';
import type { SocketWriter } from './socket-writer.ts';

export interface RouterEvents {
  /** Called after each ReadyForQuery. */
  onReady(status: TransactionStatus): void;
  /** Called when a reported setting has a new value. Returns its name if the client is to receive the report. */
  onParameterStatus(payload: Buffer): string | null;
  /** Returns whether a failure rolls back to an internal savepoint, which also undoes settings. */
  isInSavepoint(): boolean;
  /** Returns the client's version of a RowDescription. */
  onRowDescription(frame: Buffer): Buffer;
}

/** The message types that pass together with the rows around them. */
const passedTypes = new Set<number>([
  backend.dataRow,
  backend.copyData,
  backend.copyOutResponse,
  backend.copyDone,
]);
const inspected = Object.values(backend).filter((type) => !passedTypes.has(type));
const headerBytes = 5;
const statusIn = (ready: Buffer, at: number) =>
  transactionStatus(ready[at + headerBytes] as number);

export class ResponseRouter implements Receiver {
  private readonly writer: SocketWriter;
  private readonly events: RouterEvents;
  private readonly scanner: BackendScanner;
  private readonly expected = new ExpectedResponses();
  private syncs = 0;
  /** The number of sent messages that have a handler for rows. */
  private listeners = 0;
  /** The responses that the client receives: after an error only the next ReadyForQuery, and when closed none until reopened. */
  private audience: 'open' | 'after error' | 'closed' = 'open';
  private deferred: Buffer | null = null;
  private readonly reports = new SettingReports();
  private lastWords = false;
  private readonly buffer: ResponseBuffer;

  constructor(writer: SocketWriter, events: RouterEvents, maxBufferedBytes: number) {
    this.writer = writer;
    this.buffer = new ResponseBuffer(writer);
    this.events = events;
    this.scanner = new BackendScanner(maxBufferedBytes, inspected);
  }

  /** Whether all messages sent have a complete response. */
  get isIdle(): boolean {
    return this.expected.head === undefined;
  }

  /** The number of outstanding ReadyForQuery messages. */
  get awaited(): number {
    return this.syncs;
  }

  /** Whether the client has received an error. Like the server, the proxy then skips the client's messages up to its Sync. */
  get hasShownError(): boolean {
    return this.audience === 'after error';
  }

  /** Whether the server has reported why it ends the connection. */
  get hasLastWords(): boolean {
    return this.lastWords;
  }

  /** Whether a message can be inserted between those that pass. */
  get atBoundary(): boolean {
    return this.scanner.atBoundary;
  }

  /** Adds the expected response to a message that is sent. */
  expect(pending: PendingResponse): void {
    if (!this.expected.add(pending)) return;
    if (pending.onRow !== undefined) this.listen(1);
    this.buffer.expect(pending);
    const { request, isBeforeBegin } = pending;
    if (!isBeforeBegin && (request === 'sync' || request === 'query')) this.syncs += 1;
  }

  /** Rows are scanned one by one while there are handlers for them, and pass unscanned otherwise. */
  private listen(change: 1 | -1): void {
    this.listeners += change;
    this.scanner.inspect(this.listeners > 0 ? [...inspected, backend.dataRow] : inspected);
  }

  /** Removes the row handler of a response that is complete or will not arrive. */
  private dismiss({ onRow }: PendingResponse): void {
    if (onRow !== undefined) this.listen(-1);
  }

  /** Hides everything, including ReadyForQuery, until reopened: the running statement will be run again. */
  close(): void {
    this.audience = 'closed';
    this.deferred = null;
  }

  reopen(): void {
    this.audience = 'open';
  }

  /** Shows an error in place of the rest of the current response. */
  showError(message: Buffer): void {
    if (this.audience !== 'open') return;
    this.deferred = null;
    this.buffer.end();
    this.writer.add(message);
    this.audience = 'after error';
  }

  /** Passes on the CommandComplete that was buffered. */
  showDeferred(): void {
    if (this.deferred !== null && this.audience === 'open') this.writer.add(this.deferred);
    this.deferred = null;
  }

  /** Shows a ReadyForQuery, after the reports that are due before it. */
  showReady(bytes: Buffer, start = 0, end = bytes.length): void {
    if (this.audience === 'closed') return;
    this.buffer.endBatch();
    if (statusIn(bytes, start) === 'E' && this.events.isInSavepoint()) this.reports.retain();
    else this.showReports();
    this.writer.add(bytes, start, end);
    this.audience = 'open';
  }

  /** Reports a setting's new value to the client at the end of its message. Only the last value counts. */
  report(name: string, message: Buffer): void {
    this.reports.set(name, message);
  }

  private showReports(): void {
    for (const report of this.reports.take()) this.writer.add(report);
  }

  /**
   * Processes bytes from the server.
   * @throws StageError `protocol_violation` when they are no valid response
   */
  receive(chunk: Buffer): void {
    this.scanner.scan(chunk, this);
    this.flush();
  }

  /** Writes the queued messages to the client's socket, unless more that the client waits for will follow soon. */
  flush(): void {
    this.buffer.flush(this.expected.head);
  }

  /** Passes rows and other messages on. Called by the scanner. */
  pass(bytes: Buffer, start: number, end: number): void {
    if (this.shows(this.expected.head)) this.writer.add(bytes, start, end);
  }

  private readonly shows = (pending: PendingResponse | undefined): boolean =>
    this.audience === 'open' && pending?.shown !== 'nothing';

  /** Handles an inspected message. Called by the scanner. */
  message(bytes: Buffer, type: number, start: number, end: number): void {
    const { head } = this.expected;
    switch (type) {
      case backend.readyForQuery:
        this.ready(bytes, start, end);
        break;
      case backend.errorResponse:
        this.error(bytes.subarray(start, end));
        break;
      case backend.noticeResponse:
        this.notice(bytes.subarray(start, end), head);
        break;
      case backend.parameterStatus:
        this.parameterStatus(bytes.subarray(start, end));
        break;
      case backend.notificationResponse:
        this.buffer.end();
        this.writer.add(bytes, start, end);
        break;
      default:
        this.respond(bytes, type, start, end);
    }
  }

  private notice(frame: Buffer, head: PendingResponse | undefined): void {
    // Decoding it validates it: some clients hang on an unterminated notice.
    const fields = decodeErrorFields(frame.subarray(headerBytes));
    if (this.audience !== 'open' || head?.hidesNotices) return;
    const unchanged = head?.shown === 'nothing' ? null : frame;
    const shown = head?.onNotice ? head.onNotice(fields) : unchanged;
    if (shown === null) return;
    this.buffer.end();
    this.writer.add(shown);
  }

  private parameterStatus(frame: Buffer): void {
    const name = this.events.onParameterStatus(frame.subarray(headerBytes));
    if (name === null) return;
    this.report(name, Buffer.from(frame));
    // This happens between two messages of the client, e.g. when the server's configuration was reloaded.
    if (!this.isIdle) return;
    this.buffer.end();
    this.showReports();
  }

  private respond(bytes: Buffer, type: number, start: number, end: number): void {
    const { head } = this.expected;
    const role = head === undefined ? roles.none : roleOf(head, type);
    if (head === undefined || role === roles.none) {
      throw new StageError('protocol_violation', `unexpected backend message ${codeName(type)}`);
    }
    if (type === backend.parameterDescription)
      head.onParameterTypes?.(bytes.subarray(start + headerBytes, end));
    if (type === backend.dataRow) head.onRow?.(bytes.subarray(start + headerBytes, end));
    if (type === backend.copyInResponse && head.onCopyIn?.() === false) return;
    if (this.shows(head)) {
      if (type === backend.commandComplete && isParticular(head))
        this.completion(bytes.subarray(start, end), head);
      else if (type === backend.rowDescription) this.columns(bytes, start, end);
      else this.writer.add(bytes, start, end);
    }
    if (role !== roles.completes) return;
    this.expected.take();
    this.dismiss(head);
    head.onDone?.(bytes.subarray(start + headerBytes, end));
  }

  private columns(bytes: Buffer, start: number, end: number): void {
    const frame = bytes.subarray(start, end);
    const shown = this.events.onRowDescription(frame);
    if (shown === frame) this.writer.add(bytes, start, end);
    else this.writer.add(shown);
  }

  private completion(frame: Buffer, pending: PendingResponse): void {
    const { notice, remark, defersCompletion } = pending;
    const tag = typeof pending.tag === 'function' ? pending.tag() : pending.tag;
    if (notice !== undefined) this.writer.add(notice);
    // without the zero byte at its end
    const remarked = remark?.(tag ?? frame.toString('latin1', headerBytes, frame.length - 1));
    if (remarked) this.writer.add(remarked);
    const shown = tag === undefined ? frame : commandComplete(tag);
    if (defersCompletion) this.deferred = Buffer.from(shown);
    else this.writer.add(shown);
  }

  private ready(bytes: Buffer, start: number, end: number): void {
    const head = this.expected.take();
    if (head?.request !== 'sync' && head?.request !== 'query') {
      throw new StageError('protocol_violation', 'unexpected ReadyForQuery');
    }
    if (!head.isBeforeBegin) this.syncs -= 1;
    this.buffer.ready(head);
    head.onDone?.(bytes.subarray(start + headerBytes, end));
    if (head.shown === 'all') this.showReady(bytes, start, end);
    if (!head.isBeforeBegin) this.events.onReady(statusIn(bytes, start));
  }

  private error(frame: Buffer): void {
    const fields = decodeErrorFields(frame.subarray(headerBytes));
    if (endsConnection(fields)) {
      this.lastWords = true;
      this.buffer.end();
      this.writer.add(frame);
      return;
    }
    const { head } = this.expected;
    if (head === undefined) throw new StageError('protocol_violation', 'unexpected ErrorResponse');
    if (head.request === 'query') head.onFailure?.();
    else this.skipToSync();
    const message = head.onError ? head.onError(fields) : head.shown === 'nothing' ? null : frame;
    if (message === null) return;
    if (head.notice !== undefined && this.audience === 'open') this.writer.add(head.notice);
    this.showError(message);
  }

  /** The server does the same after an error in the extended protocol. */
  private skipToSync(): void {
    for (const each of this.expected.skipToSync()) {
      this.dismiss(each);
      each.onFailure?.();
    }
  }
}

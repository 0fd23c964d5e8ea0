/**
 * Runs the proxy's own statements between the client's messages. They are parsed again directly before they run: a function of the client
 * may run any SQL that does not write, including DEALLOCATE and PREPARE. A statement that it prepared under an internal name would run
 * where writing is possible. The statements of every staged write stay prepared while no such code can have run (see
 * `PreparedStatementCache`), and those that validate a read while nothing drops them. The commit check is never prepared: it
 * must hold whatever the proxy assumes about the code that has run.
 */
import { randomBytes } from 'node:crypto';
import { decodeDataRow } from '../wire/backend-decoder.ts';
import { CommitCheck } from './commit-check.ts';
import { deliverWarning } from './error-mapping.ts';
import type { Begun } from './fresh-block.ts';
import { InternalMessages } from './internal-messages.ts';
import type { InternalCall, InternalStatement } from './internal-statement.ts';
import { failing, readOnly, texts, unlessFailed } from './internal-texts.ts';
import { PendingResponse } from './pending-response.ts';
import { PreparedStatementCache } from './prepared-statement-cache.ts';
import { internalPrefix } from './reserved-names.ts';
import { step, toReadOnly } from './step-messages.ts';
import type { TransactionState } from './transaction-state.ts';
import type { Access } from './transaction-table.ts';
import type { UpstreamWriter } from './upstream-writer.ts';

const guardName = `${internalPrefix}guard`;
const protectionName = `${internalPrefix}write`;
const probeName = `${internalPrefix}probe`;

export class InternalQueries extends InternalMessages {
  private readonly state: TransactionState;
  readonly commitCheck = new CommitCheck((statement, call) => this.run(statement, call));
  /** Runs the check at the end of the statement under the tripwire; null when there is none. */
  private checkAtEnd: (() => void) | null = null;
  /** The internal statements that are prepared already. */
  private readonly cache: PreparedStatementCache;
  /** Statements that stay prepared although code may have replaced them meanwhile. */
  private readonly validations = new PreparedStatementCache('validation', () => 0);

  constructor(link: UpstreamWriter, state: TransactionState) {
    super(link);
    this.state = state;
    this.cache = new PreparedStatementCache('cached', () => state.runs);
  }

  /** Opens an internal block, with the access of the client's transactions. */
  begin(): void {
    this.beforeBegin();
    const access = this.state.nextAccess;
    // not in the unnamed portal: the client may execute it, and must be told that it does not exist
    this.runCached({ text: texts.begin[access] });
    this.state.begin('internal', access);
  }

  /** Prepares for a BEGIN, internal or the client's. Call it when no transaction block is open. */
  beforeBegin(): void {
    this.commitCheck.begin(() => this.link.sync(syncBeforeBegin));
  }

  /** Ends the client's block, which is then restarted. */
  rollback(): void {
    // after an error the server skips messages up to a Sync, and would skip this one
    this.link.close();
    this.runAtEnd({ text: 'ROLLBACK' });
    this.state.end();
  }

  /** Begins a block for the client, as the client itself did. */
  beginAs({ text, access }: Begun): void {
    this.beforeBegin();
    this.run({ text: text() });
    this.state.begin('client', access);
  }

  /** Whether a statement is under the tripwire whose end has not been checked. */
  get isTripwireSet(): boolean {
    return this.checkAtEnd !== null;
  }

  /** Starts the tripwire. Call it before any part of a staged statement runs that may run user-defined code. */
  setTripwire(): void {
    this.endTripwire();
    this.state.noteRun();
    // a nonce that only the proxy knows
    const values = [Buffer.from(randomBytes(16).toString('hex'))];
    const types = [text];
    this.run({ text: 'SELECT stage.begin_tripwire($1)', types }, { values });
    const call = { values, onError: unlessFailed };
    this.checkAtEnd = () => this.run({ text: 'SELECT stage.end_tripwire($1)', types }, call);
  }

  /**
   * Prepares for a command that defines temporary tables. Its catalog writes and dropped relations are not writes to production.
   * @param created the names of the relations that the command creates
   * @param probe runs the command without its query, which may run code; any further catalog writes of the query fail the transaction
   */
  define(created: readonly string[], probe: (() => void) | null): void {
    this.endTripwire();
    this.state.noteRun();
    this.commitCheck.beginDefinition(created);
    if (probe !== null) {
      this.run({ text: `SAVEPOINT ${probeName}` });
      probe();
      this.run({ text: `ROLLBACK TO SAVEPOINT ${probeName}` });
      this.run({ text: `RELEASE SAVEPOINT ${probeName}` });
      this.commitCheck.noteProbe();
    }
    this.checkAtEnd = () => this.commitCheck.endDefinition(unlessFailed);
  }

  /** Fails the transaction if the statement under the tripwire has written to production. Call it before any of that can be committed. */
  endTripwire(): void {
    // guard: the end of the tripwire is checked whatever became of its settings
    if (this.checkAtEnd === null) return;
    const check = this.checkAtEnd;
    this.checkAtEnd = null;
    check();
  }

  /** Discards the tripwire: its statement has failed or was undone. */
  forgetTripwire(): void {
    this.checkAtEnd = null;
  }

  /**
   * Sends the commit check, in separate messages if the COMMIT is internal. It fails the transaction if that has written anything outside
   * of the service's schemas, or if COMMIT would run code that was left behind.
   */
  checkCommit(): void {
    if (this.state.block === 'none' || this.state.failed) return;
    this.release();
    // guard: the database checks for writes elsewhere before COMMIT
    this.commitCheck.send(unlessFailed);
  }

  /** Ends the internal block. After an error this rolls it back. */
  commit(handlers: Pick<InternalCall, 'onError' | 'onDone'>): void {
    this.runAtEnd({ text: 'COMMIT' }, { ...handlers, onNotice: deliverWarning });
    this.state.end();
  }

  /**
   * Opens a guard, a read-only savepoint, around reads that would run where writing is possible. Call it before every read.
   * @param ofWrite a write is analysed or planned, and not run. It gets its own guard, which is rolled back afterwards because of its
   *   locks. In a shared guard that would destroy the cursors of other reads
   */
  guard(ofWrite = false): void {
    this.state.noteRun();
    // guard: a write that is planned only has a savepoint to itself
    if (ofWrite || this.state.guardsWrite) this.releaseGuard();
    // guard: reads in transactions that may write are made read-only
    if (!this.state.exposesReads) return;
    this.commitCheck.start();
    this.setSavepoints(() => this.state.guard(ofWrite), [`SAVEPOINT ${guardName}`]);
    this.run({ text: readOnly });
  }

  /** Ends the guard, if there is one. The transaction is read-write again. */
  releaseGuard(): void {
    if (!this.state.guarded || this.state.failed) return;
    const commands = [`RELEASE SAVEPOINT ${guardName}`];
    // guard: a write that is planned only takes no lock that the commit check sees
    if (this.state.guardsWrite) commands.unshift(`ROLLBACK TO SAVEPOINT ${guardName}`);
    this.setSavepoints(() => this.state.release(), commands);
  }

  /** Ends all internal savepoints, so that the client's own come next. */
  release(): void {
    if (!this.state.protected || this.state.guardsWrite) this.releaseGuard();
    if (!this.state.protected || this.state.failed) return;
    this.setSavepoints(() => this.state.unprotect(), [`RELEASE SAVEPOINT ${protectionName}`]);
  }

  /** Sets a savepoint before a write, so that the write can be rolled back and run again. */
  protect(): void {
    this.release();
    this.setSavepoints(() => this.state.protect(), [`SAVEPOINT ${protectionName}`]);
  }

  /**
   * Sends commands for internal savepoints.
   * @param note notes their effect, which is assumed until the server has skipped them
   */
  private setSavepoints(note: () => void, commands: readonly string[]): void {
    const onFailure = this.state.markInternal();
    note();
    for (const text of commands) this.run({ text }, { onFailure });
  }

  /** Rolls the failed write back. */
  unwind(): void {
    this.closeStep();
    this.run({ text: `ROLLBACK TO SAVEPOINT ${protectionName}` });
    this.state.unwind();
    this.commitCheck.rewind();
    this.queryAccess();
  }

  /**
   * Handles a failure of the client's transaction inside an internal savepoint: makes it fail again outside of the savepoint.
   * That releases its locks, as PostgreSQL does at once.
   */
  abandon(): void {
    const name = this.state.protected ? protectionName : guardName;
    this.closeStep();
    for (const command of ['ROLLBACK TO SAVEPOINT', 'RELEASE SAVEPOINT'])
      this.run({ text: `${command} ${name}` }, { onError: () => null });
    this.fail(null);
    this.link.close();
    this.state.unprotect();
  }

  /** Sends a message that fails upstream. @param answer the client's response in place of the error */
  fail(answer: Buffer | null): void {
    this.link.send(failing, new PendingResponse('bind', 'nothing', { onError: () => answer }));
  }

  /** Sets the access of the client's transaction, which has just begun, when the server has not given it that access. */
  setAccess(access: Access): void {
    this.run({ text: texts.access[access] });
    this.state.changeAccess();
  }

  /** Queries the transaction's access, after anything that may have changed it. SHOW takes no snapshot. */
  queryAccess(): void {
    const onRow = (payload: Buffer) => {
      const isOn = String(decodeDataRow(payload)[0]) === 'on';
      this.state.learnAccess(isOn ? 'read only' : 'read write');
    };
    // The access of a failed transaction does not matter.
    this.run({ text: 'SHOW transaction_read_only' }, { onRow, onError: unlessFailed });
  }

  /**
   * Makes the transaction READ ONLY for a batch of reads that is sent before the current settings are known. The transaction begins with
   * the default access. Outside of a block SET LOCAL would cause a warning; this setting ends with the transaction as well.
   */
  beReadOnly(): void {
    this.run(toReadOnly);
  }

  /** Restores the pinned read-only default. */
  restore(): void {
    this.run({ text: 'SET default_transaction_read_only = on' }, { onError: () => null });
  }

  /** Runs an internal statement, which stays prepared unless user-defined code may be running. */
  runCached(statement: InternalStatement, call: InternalCall = {}): void {
    this.runInPortal(statement, step, call);
    this.closeStep();
  }

  /**
   * Runs, under a guard, a query that validates a read. Its statement stays prepared whatever reads have run since. A replacement
   * by the client's code could do no more than that code itself, and would mislead only that client.
   */
  validate(statement: InternalStatement, call: InternalCall): void {
    // guard: an internal query that may write is READ ONLY
    this.guard();
    this.executeCached(this.validations, statement, step, call);
    this.closeStep();
  }

  /** Discards all prepared statements. Call it before a command that may drop them, or where uncounted code may run. */
  forgetCached(): void {
    this.cache.forget();
    this.forgetValidations();
  }

  /** Discards the statements of `validate`, after one of them turned out to be missing or wrong. */
  forgetValidations(): void {
    this.validations.forget();
  }

  /**
   * Runs a statement that ends a block, and the client's portals with it, so the unnamed one is free. A named portal could block the
   * COMMIT, because it remains open when its message has failed.
   */
  private runAtEnd(statement: InternalStatement, call: InternalCall = {}): void {
    this.runInPortal(statement, '', call);
  }

  private runInPortal(statement: InternalStatement, portal: string, call: InternalCall): void {
    // guard: no statement stays prepared that is prepared while code of users may run
    if (this.isTripwireSet) this.execute(statement, portal, call);
    else this.executeCached(this.cache, statement, portal, call);
  }
}

const syncBeforeBegin = new PendingResponse('sync', 'nothing', { isBeforeBegin: true });

/** The OID of text. */
const text = 25;

/**
 * What the proxy runs for itself between the client's messages. Statements are parsed anew right before they run: a function of the
 * client's may run any SQL that does not write, DEALLOCATE and PREPARE among it, and what it prepared in our name would run where
 * writing is possible. Those that come with every staged write stay prepared as long as no such code can have run (see
 * `KeptStatements`), and what a read depends on as long as nothing drops it. The wall before COMMIT never does: it holds whatever the
 * proxy believes to have run.
 */
import { randomBytes } from 'node:crypto';
import { decodeDataRow } from '../wire/backend-decoder.ts';
import { CommitWall } from './commit-wall.ts';
import { deliverWarning } from './error-mapping.ts';
import type { Begun } from './fresh-block.ts';
import { InternalMessages } from './internal-messages.ts';
import type { InternalCall, InternalStatement } from './internal-statement.ts';
import { failing, readOnly, texts, unlessFailed } from './internal-texts.ts';
import { KeptStatements } from './kept-statements.ts';
import { PendingResponse } from './pending-response.ts';
import { ownPrefix } from './reserved-names.ts';
import { step, toReadOnly } from './step-messages.ts';
import type { TransactionState } from './transaction-state.ts';
import type { Access } from './transaction-table.ts';
import type { UpstreamWriter } from './upstream-writer.ts';

const guardName = `${ownPrefix}guard`;
const protectionName = `${ownPrefix}write`;
const probeName = `${ownPrefix}probe`;

export class InternalQueries extends InternalMessages {
  private readonly state: TransactionState;
  readonly wall = new CommitWall((statement, call) => this.run(statement, call));
  /** Looks at the end of the statement that is watched; null while none is. */
  private lookAtEnd: (() => void) | null = null;
  /** Those of our statements that are prepared already. */
  private readonly kept: KeptStatements;
  /** Of these nobody knows what code has made of them meanwhile. */
  private readonly questions = new KeptStatements('question', () => 0);

  constructor(link: UpstreamWriter, state: TransactionState) {
    super(link);
    this.state = state;
    this.kept = new KeptStatements('kept', () => state.runs);
  }

  /** Opens a block of ours, with the access that the client's transactions have. */
  begin(): void {
    this.beforeBegin();
    const access = this.state.nextAccess;
    this.runAtEdge({ text: texts.begin[access] });
    this.state.begin('internal', access);
  }

  /** To be called before a BEGIN, ours or the client's, where no transaction block is open. */
  beforeBegin(): void {
    this.wall.begin(() => this.link.sync(syncBeforeBegin));
  }

  /** Ends the client's block, which is to be begun anew. */
  rollback(): void {
    // what was sent since the server has failed is skipped up to a Sync, and this would be, too
    this.link.close();
    this.runAtEdge({ text: 'ROLLBACK' });
    this.state.end();
  }

  /** Begins a block of the client's as the client has. */
  beginAs({ text, access }: Begun): void {
    this.beforeBegin();
    this.run({ text: text() });
    this.state.begin('client', access);
  }

  /** Whether a statement is watched whose end has not been looked at. */
  get isWatching(): boolean {
    return this.lookAtEnd !== null;
  }

  /** To be called before anything of a staged statement runs that may run code of the database's users. */
  watch(): void {
    this.endWatch();
    this.state.noteRun();
    // known to nobody else
    const values = [Buffer.from(randomBytes(16).toString('hex'))];
    const types = [text];
    this.run({ text: 'SELECT stage.begin_watch($1)', types }, { values });
    const call = { values, onError: unlessFailed };
    this.lookAtEnd = () => this.run({ text: 'SELECT stage.end_watch($1)', types }, call);
  }

  /**
   * To be called before a command runs that defines temporary tables: what it writes to the catalogs, and what it drops, is no write
   * to production.
   * @param created the names that relations get
   * @param probe runs the same command without its query, which may run code: what that writes beyond it has the transaction fail
   */
  define(created: readonly string[], probe: (() => void) | null): void {
    this.endWatch();
    this.state.noteRun();
    this.wall.beginDefinition(created);
    if (probe !== null) {
      this.run({ text: `SAVEPOINT ${probeName}` });
      probe();
      this.run({ text: `ROLLBACK TO SAVEPOINT ${probeName}` });
      this.run({ text: `RELEASE SAVEPOINT ${probeName}` });
      this.wall.noteProbe();
    }
    this.lookAtEnd = () => this.wall.endDefinition(unlessFailed);
  }

  /** Has the transaction fail if what was watched wrote to production; before anything of it can be committed. */
  endWatch(): void {
    // guard: the end of what is watched is looked at whatever became of the settings
    if (this.lookAtEnd === null) return;
    const look = this.lookAtEnd;
    this.lookAtEnd = null;
    look();
  }

  /** What was watched has failed, or is undone. */
  forgetWatch(): void {
    this.lookAtEnd = null;
  }

  /**
   * To be called before COMMIT, in messages of its own where that is ours: has the transaction fail if it has written anything
   * outside of the service's schemas, or if COMMIT would run what code has left behind.
   */
  checkCommit(): void {
    if (this.state.block === 'none' || this.state.failed) return;
    this.release();
    // guard: before COMMIT the database looks for what was written elsewhere
    this.wall.check(unlessFailed);
  }

  /** Ends the block of ours; after an error this rolls it back. */
  commit(handlers: Pick<InternalCall, 'onError' | 'onDone'>): void {
    this.runAtEdge({ text: 'COMMIT' }, { ...handlers, onNotice: deliverWarning });
    this.state.end();
  }

  /**
   * To be called before every read: puts a read-only savepoint around those that would run where writing is possible.
   * @param ofWrite a write is analysed or planned, and not run. It has a savepoint to itself: that is undone afterwards, for its
   * locks, and would take the cursors of other reads with it
   */
  guard(ofWrite = false): void {
    this.state.noteRun();
    // guard: a write that is planned only has a savepoint to itself
    if (ofWrite || this.state.guardsWrite) this.releaseGuard();
    // guard: reads in transactions that may write are made read-only
    if (!this.state.exposesReads) return;
    this.wall.start();
    this.run({ text: `SAVEPOINT ${guardName}` });
    this.run({ text: readOnly });
    this.state.guard(ofWrite);
  }

  /** Ends the guard, if there is one: the transaction is read-write again. */
  releaseGuard(): void {
    if (!this.state.guarded || this.state.failed) return;
    // guard: a write that is planned only locks nothing that the wall before COMMIT sees
    if (this.state.guardsWrite) this.run({ text: `ROLLBACK TO SAVEPOINT ${guardName}` });
    this.run({ text: `RELEASE SAVEPOINT ${guardName}` });
    this.state.release();
  }

  /** Ends every savepoint of ours, so that the client's own come next. */
  release(): void {
    if (!this.state.protected || this.state.guardsWrite) this.releaseGuard();
    if (!this.state.protected || this.state.failed) return;
    this.run({ text: `RELEASE SAVEPOINT ${protectionName}` });
    this.state.unprotect();
  }

  /** Sets a savepoint before a write, to which it can be rolled back to be run again. */
  protect(): void {
    this.release();
    this.run({ text: `SAVEPOINT ${protectionName}` });
    this.state.protect();
  }

  /** Rolls the failed write back. */
  unwind(): void {
    this.closeStep();
    this.run({ text: `ROLLBACK TO SAVEPOINT ${protectionName}` });
    this.state.unwind();
    this.askAccess();
  }

  /**
   * To be called when the client's transaction has failed inside a savepoint of ours: has it fail once more outside of it, so
   * that it lets go what it has locked, as PostgreSQL does at once.
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

  /** Sends a message that fails upstream. @param answer what the client is given in the place of the error */
  fail(answer: Buffer | null): void {
    this.link.send(failing, new PendingResponse('bind', 'nothing', { onError: () => answer }));
  }

  /** Gives the client's transaction, which has just begun, the access that the server has not given it. */
  setAccess(access: Access): void {
    this.run({ text: texts.access[access] });
    this.state.changeAccess();
  }

  /** Asks the server for the transaction's access, after anything that may have changed it. SHOW takes no snapshot. */
  askAccess(): void {
    const onRow = (payload: Buffer) => {
      const isOn = String(decodeDataRow(payload)[0]) === 'on';
      this.state.learnAccess(isOn ? 'read only' : 'read write');
    };
    // Where the transaction has failed, its access does not matter.
    this.run({ text: 'SHOW transaction_read_only' }, { onRow, onError: unlessFailed });
  }

  /**
   * To be called before a batch of reads that is sent before it is known which settings hold: its transaction begins by the default,
   * and is READ ONLY from here on. Outside of a block SET LOCAL would come with a warning; the setting ends with the transaction.
   */
  beReadOnly(): void {
    this.run(toReadOnly);
  }

  /** Sets the pinned read-only default back. */
  restore(): void {
    this.run({ text: 'SET default_transaction_read_only = on' }, { onError: () => null });
  }

  /** Runs a statement of ours that stays prepared, unless code of others may be running. */
  runKept(statement: InternalStatement, call: InternalCall = {}): void {
    this.keep(statement, step, call);
    this.closeStep();
  }

  /**
   * Asks what a read depends on, guarded as one, by a statement that stays prepared whatever reads have run since. What code of the
   * client's may have put in its place cannot do more than that code itself, and deceives nobody but that client.
   */
  ask(statement: InternalStatement, call: InternalCall): void {
    // guard: a question is asked where nothing can be written
    this.guard();
    this.executeKept(this.questions, statement, step, call);
    this.closeStep();
  }

  /** To be called before a command that may drop what is prepared, or where code may run that is not counted. */
  forgetKept(): void {
    this.kept.forget();
    this.forgetQuestions();
  }

  /** One of them turned out not to be what it was. */
  forgetQuestions(): void {
    this.questions.forget();
  }

  /**
   * At the edge of a block no portal of the client's is alive, so the unnamed one is free. An own one might stand
   * in the way of COMMIT: it stays when the message that made it has failed.
   */
  private runAtEdge(statement: InternalStatement, call: InternalCall = {}): void {
    this.keep(statement, '', call);
  }

  private keep(statement: InternalStatement, portal: string, call: InternalCall): void {
    // guard: nothing stays prepared that is prepared while watched code may run
    if (this.isWatching) this.execute(statement, portal, call);
    else this.executeKept(this.kept, statement, portal, call);
  }
}

const syncBeforeBegin = new PendingResponse('sync', 'nothing', { isBeforeBegin: true });

/** OID of text. */
const text = 25;

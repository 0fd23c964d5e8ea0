/**
 * The commit check. It is sent together with the COMMIT. `stage.refuse_written_outside` inspects the transaction, whatever state the
 * proxy assumes, and fails it if it has written anything outside of the service's schemas.
 */
import { randomBytes } from 'node:crypto';
import { decodeDataRow } from '../wire/backend-decoder.ts';
import type { InternalCall, InternalStatement } from './internal-statement.ts';
import type { ErrorHandler } from './pending-response.ts';

type Run = (statement: InternalStatement, call?: InternalCall) => void;

/** The OIDs of text and int8. */
const types = [25, 20];

export class CommitCheck {
  private readonly run: Run;
  /** The nonce under which the transaction records internal writes to the catalogs. Only the proxy knows it. */
  private secret: Buffer | null = null;
  /** The number of those writes, as reported by the server so far. */
  private counted = 0;
  /** A transaction has written, and the check has not completed since: its writes are still in the statistics counters. */
  private mustFlush = false;
  /** The counted rows of event triggers in tables of users, as `stage.logged` reported them last. */
  private logged: Buffer | null = null;
  /** What is noted in the transaction about these rows may have been undone, although the server still counts them. */
  private mustNoteLogged = false;
  /** The transaction follows another one by AND CHAIN, whose counters the server had no chance to flush. */
  private isChained = false;

  constructor(run: Run) {
    this.run = run;
  }

  /** Whether counters of an earlier transaction must still be flushed. */
  get isUncounted(): boolean {
    return this.mustFlush;
  }

  /** Prepares for a transaction that begins outside of any block: the server flushes the counters of earlier transactions. */
  begin(sync: () => void): void {
    this.renew();
    this.logged = null;
    this.isChained = false;
    if (!this.mustFlush) return;
    this.mustFlush = false;
    // The flush takes effect when the server is next ready.
    this.run({ text: 'SELECT pg_catalog.pg_stat_force_next_flush()' });
    sync();
  }

  /** Prepares for a transaction that begins by COMMIT or ROLLBACK AND CHAIN. */
  chain(): void {
    this.isChained = this.mustFlush || this.counted > 0;
    this.renew();
    this.rewind();
  }

  /** Notes that the transaction is rolled back to a savepoint. */
  rewind(): void {
    this.mustNoteLogged = this.logged !== null;
  }

  /**
   * Records the counters' values at the start of a chained transaction. Call it before anything runs where writing is possible: until then,
   * no counted write belongs to the transaction. Do not call it earlier: the query takes the snapshot, after which SET TRANSACTION fails.
   */
  start(): void {
    if (this.isChained) {
      this.isChained = false;
      this.runCounting('SELECT stage.note_counted($1)');
    }
    this.noteLogged();
  }

  private noteLogged(): void {
    if (!this.mustNoteLogged) return;
    this.mustNoteLogged = false;
    const values = [this.nonce, this.logged];
    this.run({ text: 'SELECT stage.note_logged($1, $2)', types: [25, 3802] }, { values });
  }

  /** Notes that something is sent that runs where writing is possible. */
  noteWrite(): void {
    this.start();
    this.mustFlush = true;
  }

  /** Creates the temporary table that a MERGE runs on, and records the writes of that, also those of event triggers. */
  makeMergeTarget(relation: number): void {
    this.start();
    this.runCounting(`SELECT stage.merge_target(${relation}, $1), stage.logged($1)`);
  }

  /**
   * Records the state before a command that defines temporary tables.
   * @param created the names of the relations that the command creates
   */
  beginDefinition(created: readonly string[]): void {
    this.start();
    const values = [this.nonce, Buffer.from(JSON.stringify(created))];
    this.run({ text: 'SELECT stage.begin_definition($1, $2)', types: [25, 25] }, { values });
  }

  /** Records the catalog writes of a probe, which ran the command without its query and was rolled back. The command must write as much. */
  noteProbe(): void {
    const values = [this.nonce];
    this.run({ text: 'SELECT stage.note_probe($1)', types: [25] }, { values });
  }

  /** Records the command's catalog writes and dropped relations, after it has run. */
  endDefinition(onError: ErrorHandler): void {
    this.runCounting('SELECT stage.end_definition($1)', onError);
  }

  /** Records a cursor WITH HOLD that the client has declared in a READ ONLY transaction. Call it before any code of users can run. */
  noteHeld(cursor: string, onError: ErrorHandler): void {
    const values = [this.nonce, Buffer.from(cursor)];
    this.run({ text: 'SELECT stage.note_held($1, $2)', types: [25, 25] }, { values, onError });
  }

  /** Runs a query, under the nonce, that returns the number of internal writes in the counters. */
  private runCounting(text: string, onError?: ErrorHandler): void {
    const onRow = (payload: Buffer) => {
      const [counted, logged] = decodeDataRow(payload);
      this.counted += Number(counted);
      if (logged && String(logged) !== '{}') this.logged = logged;
    };
    this.run({ text, types: [25] }, { values: [this.nonce], onRow, ...(onError && { onError }) });
  }

  private renew(): void {
    this.secret = null;
    this.counted = 0;
  }

  private get nonce(): Buffer {
    this.secret ??= Buffer.from(randomBytes(16).toString('hex'));
    return this.secret;
  }

  /**
   * Sends the check. Call it before COMMIT is sent.
   * @param onError returns the client's error for a transaction that has written outside
   */
  send(onError: ErrorHandler): void {
    this.noteLogged();
    const counted = Buffer.from(String(this.counted));
    const text = 'SELECT stage.refuse_written_outside($1, $2)';
    // without a nonce nothing was recorded; a nonce for each transaction would cost more than the rest
    const values = [this.secret, counted];
    const onDone = () => {
      this.mustFlush = false;
    };
    this.run({ text, types }, { values, onError, onDone });
  }
}

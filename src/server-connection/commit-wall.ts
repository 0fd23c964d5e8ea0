/**
 * The wall before COMMIT: `stage.refuse_written_outside` looks inside the transaction, whatever the proxy believes of it, and
 * fails it if it has written anything outside of the service's schemas. It is sent with the COMMIT.
 */
import { randomBytes } from 'node:crypto';
import { decodeDataRow } from '../wire/backend-decoder.ts';
import type { InternalCall, InternalStatement } from './internal-statement.ts';
import type { ErrorHandler } from './pending-response.ts';

type Run = (statement: InternalStatement, call?: InternalCall) => void;

/** OIDs of text and int8. */
const types = [25, 20];

export class CommitWall {
  private readonly run: Run;
  /** Under which the transaction notes what it has written to the catalogs by our doing; nobody else knows it. */
  private secret: Buffer | null = null;
  /** How much that is, as far as the server has told. */
  private counted = 0;
  /** A transaction has written and not come to its end through here: what it did still counts. */
  private mustFlush = false;
  /** The transaction follows on another one without a pause, in which the server would have forgotten what that has counted. */
  private isChained = false;

  constructor(run: Run) {
    this.run = run;
  }

  /** Whether what an earlier transaction has counted is still to be forgotten. */
  get isUncounted(): boolean {
    return this.mustFlush;
  }

  /** To be called when a transaction begins, outside of any: has the server forget what earlier ones have counted. */
  begin(sync: () => void): void {
    this.renew();
    this.isChained = false;
    if (!this.mustFlush) return;
    this.mustFlush = false;
    // It takes effect when the server is next ready.
    this.run({ text: 'SELECT pg_catalog.pg_stat_force_next_flush()' });
    sync();
  }

  /** To be called when a transaction begins by COMMIT or ROLLBACK AND CHAIN. */
  chain(): void {
    this.isChained = this.mustFlush || this.counted > 0;
    this.renew();
  }

  /**
   * To be called before anything runs where writing is possible: of what is counted by then nothing is the transaction's own. Not
   * before: what asks takes the snapshot, and ends the time for SET TRANSACTION.
   */
  start(): void {
    if (!this.isChained) return;
    this.isChained = false;
    this.runCounting('SELECT stage.note_counted($1)');
  }

  /** To be called when something is sent that runs where writing is possible. */
  noteWrite(): void {
    this.start();
    this.mustFlush = true;
  }

  /** Makes the temporary table that a MERGE runs on, and notes what that writes to the catalogs. */
  makeMergeTarget(relation: number): void {
    this.start();
    this.runCounting(`SELECT stage.merge_target(${relation}, $1)`);
  }

  /**
   * To be called before a command defines temporary tables.
   * @param created the names that relations get
   */
  beginDefinition(created: readonly string[]): void {
    this.start();
    const values = [this.nonce, Buffer.from(JSON.stringify(created))];
    this.run({ text: 'SELECT stage.begin_definition($1, $2)', types: [25, 25] }, { values });
  }

  /** To be called when the same command has been run without its query, and taken back: it has to write as much again. */
  noteProbe(): void {
    const values = [this.nonce];
    this.run({ text: 'SELECT stage.note_probe($1)', types: [25] }, { values });
  }

  /** To be called when the command has run: notes what it has written to the catalogs, and dropped. */
  endDefinition(onError: ErrorHandler): void {
    this.runCounting('SELECT stage.end_definition($1)', onError);
  }

  /** Runs what gives how much there is in the counters by our doing, under the nonce. */
  private runCounting(text: string, onError?: ErrorHandler): void {
    const onRow = (payload: Buffer) => {
      this.counted += Number(decodeDataRow(payload)[0]);
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
   * To be sent before COMMIT.
   * @param onError gives what the client is told when the transaction has written elsewhere
   */
  check(onError: ErrorHandler): void {
    const counted = Buffer.from(String(this.counted));
    const text = 'SELECT stage.refuse_written_outside($1, $2)';
    // without a nonce nothing was noted; to make one for each transaction would cost more than the rest
    const values = [this.secret, counted];
    const onDone = () => {
      this.mustFlush = false;
    };
    this.run({ text, types }, { values, onError, onDone });
  }
}

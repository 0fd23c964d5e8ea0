/**
 * The transaction in which the next message will run. It advances when messages are sent, on the assumption that they succeed. Every
 * ReadyForQuery corrects it. `transaction-table` defines the effect of each event.
 */
import type { TransactionStatus } from '../wire/backend-messages.ts';
import { Savepoints } from './savepoints.ts';
import type { Access, Block, TransactionEvent, TransactionPhase } from './transaction-table.ts';
import { phaseFacts, transactionTable } from './transaction-table.ts';

export class TransactionState {
  private defaultAccess: Access;
  /** Its value at the start of the connection. */
  readonly initialAccess: Access;
  private phase: TransactionPhase = 'none';
  private facts = phaseFacts.none;
  private codeRun = 0;
  /** At some point since it began, the transaction could write. */
  private wasWritable = false;
  /** The access that a failure leaves to the next transaction of a chain; null when the server carries it over itself. */
  private begunAccess: Access | null;
  private readonly savepoints = new Savepoints();
  /**
   * The internal savepoints that are open: a `guard`, which is a read-only one for reads; `guardOfWrite`, if a write is analysed or planned
   * in it, which locks its target like the write itself; and one to which a `write` can be rolled back and run again, outside of a guard.
   */
  private open = { guard: false, guardOfWrite: false, write: false };
  /** Messages ran outside any block since the last Sync: PostgreSQL's implicit transaction is open. */
  private isImplicit = false;
  /**
   * The access of that transaction, up to the client's Sync: the default when it began, or the one of SET TRANSACTION. For the client, an
   * internal Sync in between does not end the transaction.
   */
  private implicitAccess: Access | null = null;
  /** The default was changed, and a rollback of the transaction undoes that. */
  private hasNewDefault = false;

  constructor(clientAccess: Access) {
    this.defaultAccess = clientAccess;
    this.initialAccess = clientAccess;
    this.begunAccess = clientAccess;
  }

  /** The default access of the client's transactions. */
  get clientAccess(): Access {
    return this.defaultAccess;
  }

  /** The access of the transaction for the next statement outside of a block. */
  get nextAccess(): Access {
    return this.implicitAccess ?? this.defaultAccess;
  }

  /** Whether the default was changed since it was last queried. */
  get isDefaultChanged(): boolean {
    return this.hasNewDefault;
  }

  /** Whether the default must be queried, and can be: no transaction is open. */
  get isDefaultUnknown(): boolean {
    return this.hasNewDefault && this.isIdle && this.implicitAccess === null;
  }

  /** Notes that a command was sent which may change the default. */
  doubtDefault(): void {
    this.hasNewDefault = true;
  }

  /** Notes that SET default_transaction_read_only or a similar command has succeeded. */
  setDefault(access: Access): void {
    this.defaultAccess = access;
  }

  /** Takes over the default that the server reports outside of a transaction. The next transaction begins with it. */
  learnDefault(access: Access): void {
    this.defaultAccess = access;
    this.implicitAccess = null;
    this.hasNewDefault = false;
  }

  /**
   * The number of times that user-defined code may have run on this connection. Each time it may have changed prepared statements or
   * portals.
   */
  get runs(): number {
    return this.codeRun;
  }

  /** Notes that a read is about to run, or a write that may run user-defined code. */
  noteRun(): void {
    this.codeRun += 1;
  }

  get block(): Block {
    return this.facts.block;
  }

  get failed(): boolean {
    return this.facts.failed;
  }

  /** Whether the transaction's access must be queried. */
  get isUnknown(): boolean {
    return this.phase.endsWith('unknown');
  }

  get guarded(): boolean {
    return this.open.guard;
  }

  /** Whether the guard must be rolled back, because the commit check would take its locks for those of a write. */
  get guardsWrite(): boolean {
    return this.open.guard && this.open.guardOfWrite;
  }

  get protected(): boolean {
    return this.open.write;
  }

  get implicit(): boolean {
    return this.isImplicit;
  }

  /** Whether nothing is open, so that the connection can end without loss. */
  get isIdle(): boolean {
    return this.block === 'none' && !this.isImplicit;
  }

  /** Whether an internal block may still be open, even if a COMMIT or ROLLBACK was sent to end it. */
  get needsInternalCommit(): boolean {
    return this.block === 'internal' || this.phase === 'left internal';
  }

  /** Whether a write is staged. It is not in a failed transaction, nor in a READ ONLY one. */
  get stages(): boolean {
    if (this.block === 'none') return this.nextAccess === 'read write';
    return !this.failed && !this.facts.isReadOnly;
  }

  /** Whether a read needs a guard first, because it would run where writing is possible. */
  get exposesReads(): boolean {
    return this.block !== 'none' && !this.facts.isReadOnly && !this.open.guard && !this.failed;
  }

  /** Whether a query that COMMIT runs, that of a cursor WITH HOLD, could write. */
  get exposesCursors(): boolean {
    return this.block !== 'none' && (this.wasWritable || this.isUnknown);
  }

  private apply(event: TransactionEvent): void {
    this.phase = transactionTable[this.phase][event];
    this.facts = phaseFacts[this.phase];
    if (this.facts.isReadWrite) this.wasWritable = true;
  }

  /** Notes an internal BEGIN, or the client's with the access that the proxy added. */
  begin(block: 'internal' | 'client', access: Access): void {
    this.wasWritable = false;
    this.isImplicit = false;
    if (block === 'client') this.implicitAccess = null;
    this.begunAccess = this.clientAccess;
    this.apply(block === 'internal' ? `internal begin ${access}` : `begin ${access}`);
  }

  /** Notes the client's BEGIN inside a block. An internal block becomes the client's. A block of the client may get another access. */
  beginInside(): void {
    this.apply('begin');
  }

  /** Notes that the client's BEGIN inside an internal block has failed. */
  noteFailedBegin(): void {
    this.apply('begin failed');
  }

  /** Notes a SET TRANSACTION. */
  changeAccess(): void {
    this.apply('set transaction');
  }

  /** Takes over the access that the server reports for the current transaction. */
  learnAccess(access: Access): void {
    this.apply(`shows ${access}`);
  }

  /** Marks the internal savepoints before a command for them is sent. Returns the function that restores them if the server skips it. */
  markInternal(): () => void {
    const { open } = this;
    return () => {
      // guard: an internal savepoint that the server has skipped is not taken for open
      this.open = open;
    };
  }

  guard(ofWrite: boolean): void {
    this.open = { ...this.open, guard: true, guardOfWrite: ofWrite };
  }

  release(): void {
    this.open = { ...this.open, guard: false };
  }

  protect(): void {
    this.open = { ...this.open, write: true };
  }

  /** Notes that the savepoint of a write is gone, with a guard inside it. */
  unprotect(): void {
    this.open = { guard: false, guardOfWrite: false, write: false };
  }

  /** Notes a rollback to the savepoint of a write, which remains. The transaction is in its state before the failure. */
  unwind(): void {
    this.apply('rollback to');
    this.release();
  }

  /** Whether the client's transaction has failed inside an internal savepoint, so that it retains the locks from before that. */
  get retainsLocks(): boolean {
    return this.failed && this.block === 'client' && (this.open.write || this.open.guard);
  }

  /** Notes the client's SAVEPOINT. */
  save(name: string): void {
    if (!this.failed) this.savepoints.add(name);
  }

  /**
   * Marks the state before a savepoint command, or the end of a transaction, is sent. Its success is assumed.
   * @returns the function that restores the state, for a statement that fails or is skipped by the server
   */
  mark(): () => void {
    const { begunAccess } = this;
    // a ROLLBACK TO an unknown savepoint has failed inside the internal ones
    const restorations = [this.savepoints.mark(), this.markInternal()];
    return () => {
      for (const restore of restorations) restore();
      this.begunAccess = begunAccess;
    };
  }

  /** Notes the client's RELEASE SAVEPOINT, or ROLLBACK TO SAVEPOINT, which leaves the savepoint itself. */
  rewind(name: string, how: 'release' | 'rollback to'): void {
    this.savepoints.rewind(name, how);
    this.apply(how);
    this.unprotect();
  }

  /** Notes a COMMIT or ROLLBACK. */
  end(): void {
    this.apply('end');
    this.leave();
  }

  /**
   * Notes COMMIT or ROLLBACK AND CHAIN. The next transaction begins with the access of the last one, with two exceptions. The commit check
   * leaves it READ ONLY. After a failure outside of savepoints, PostgreSQL discards the modes of BEGIN, and the transaction begins with the
   * default, which on the server is the pinned one.
   * @returns the access that the proxy must set; null when the server carries it over itself
   */
  chain(how: 'commit' | 'rollback'): Access | null {
    const isForgotten = this.failed && this.savepoints.isEmpty;
    if (how === 'commit' && this.phase === 'client read write') this.begunAccess = 'read write';
    else if (!isForgotten) this.begunAccess = null;
    this.apply('chain');
    this.unprotect();
    this.savepoints.clear();
    this.wasWritable = false;
    return this.begunAccess;
  }

  /** Notes a SET TRANSACTION outside of a block. */
  setImplicitAccess(access: Access): void {
    this.implicitAccess = access;
  }

  /** Notes the end of the client's batch of messages, by a Sync or with a Query, which is a batch of its own. */
  endBatch(): void {
    this.implicitAccess = null;
  }

  /** Notes that a message of the extended protocol was sent. */
  touch(): void {
    if (this.block !== 'none') return;
    this.isImplicit = true;
    this.implicitAccess ??= this.defaultAccess;
  }

  /** Takes over the status of a ReadyForQuery, which is authoritative. */
  ready(status: TransactionStatus): void {
    this.isImplicit = false;
    this.apply(`ready ${status}`);
    if (status === 'I') this.leave();
  }

  private leave(): void {
    this.unprotect();
    this.begunAccess = this.clientAccess;
    this.savepoints.clear();
  }
}

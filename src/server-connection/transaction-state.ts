/**
 * In which transaction the next message will run. Moves ahead of the server as messages are sent, on the assumption
 * that they succeed; every ReadyForQuery says how it really went. `transaction-table` says what each event does.
 */
import type { TransactionStatus } from '../wire/backend-messages.ts';
import { Savepoints } from './savepoints.ts';
import type { Access, Block, TransactionEvent, TransactionPhase } from './transaction-table.ts';
import { phaseFacts, transactionTable } from './transaction-table.ts';

export class TransactionState {
  private defaultAccess: Access;
  /** The same at the start of the connection. */
  readonly initialAccess: Access;
  private phase: TransactionPhase = 'none';
  private facts = phaseFacts.none;
  private codeRun = 0;
  /** Since it began, the transaction has been one that may write. */
  private wasWritable = false;
  /** A read's guard (a savepoint that is read-only) is open. */
  private isGuarded = false;
  /** The guard is around a write that is analysed or planned, which locks its target as the write itself does. */
  private isGuardOfWrite = false;
  /** The access that a failure leaves the next transaction of a chain; null where the server has taken it over itself. */
  private begunAccess: Access | null;
  private readonly savepoints = new Savepoints();
  /** A savepoint is set to which a write of the client's can be rolled back to be run again; a guard may be inside. */
  private isProtected = false;
  /** Messages ran outside any block since the last Sync: PostgreSQL's implicit transaction is open. */
  private isImplicit = false;
  /**
   * The access of that transaction, up to the client's Sync: the default when it began, or what SET TRANSACTION has said. A Sync
   * of ours in between does not end it for the client.
   */
  private implicitAccess: Access | null = null;
  /** The default has been changed, and a transaction that is rolled back takes that back. */
  private hasNewDefault = false;

  constructor(clientAccess: Access) {
    this.defaultAccess = clientAccess;
    this.initialAccess = clientAccess;
    this.begunAccess = clientAccess;
  }

  /** How the client's transactions begin when it does not say. */
  get clientAccess(): Access {
    return this.defaultAccess;
  }

  /** The access of the transaction that the next statement outside of a block runs in. */
  get nextAccess(): Access {
    return this.implicitAccess ?? this.defaultAccess;
  }

  /** Whether the default has been changed since the server was last asked for it. */
  get isDefaultChanged(): boolean {
    return this.hasNewDefault;
  }

  /** Whether the server has to be asked for the default, and can be: no transaction is open. */
  get isDefaultUnknown(): boolean {
    return this.hasNewDefault && this.isIdle && this.implicitAccess === null;
  }

  /** What may change the default has been sent. */
  doubtDefault(): void {
    this.hasNewDefault = true;
  }

  /** SET default_transaction_read_only and its like have succeeded. */
  setDefault(access: Access): void {
    this.defaultAccess = access;
  }

  /** What the server says of the default outside of a transaction: the next one begins with it. */
  learnDefault(access: Access): void {
    this.defaultAccess = access;
    this.implicitAccess = null;
    this.hasNewDefault = false;
  }

  /** How often code that others wrote may have run on this connection: each time it may have changed what is prepared or open. */
  get runs(): number {
    return this.codeRun;
  }

  /** A read is about to run, or a write that may run code of the database's users. */
  noteRun(): void {
    this.codeRun += 1;
  }

  get block(): Block {
    return this.facts.block;
  }

  get failed(): boolean {
    return this.facts.failed;
  }

  /** Whether the server has to be asked for the transaction's access. */
  get isUnknown(): boolean {
    return this.phase.endsWith('unknown');
  }

  get guarded(): boolean {
    return this.isGuarded;
  }

  /** Whether what the guard is around has to be undone: the wall before COMMIT would take its locks for those of a write. */
  get guardsWrite(): boolean {
    return this.isGuarded && this.isGuardOfWrite;
  }

  get protected(): boolean {
    return this.isProtected;
  }

  get implicit(): boolean {
    return this.isImplicit;
  }

  /** Whether nothing is open: the connection can end without loss. */
  get isIdle(): boolean {
    return this.block === 'none' && !this.isImplicit;
  }

  /** Whether a block of ours may still be open, even if a COMMIT or ROLLBACK was sent to end it. */
  get needsInternalCommit(): boolean {
    return this.block === 'internal' || this.phase === 'left internal';
  }

  /** Whether a write is staged: not in a transaction that has failed, nor in one that is READ ONLY. */
  get stages(): boolean {
    if (this.block === 'none') return this.nextAccess === 'read write';
    return !this.failed && !this.isReadOnly;
  }

  /** Whether a read has to be guarded first: it would run where writing is possible. */
  get exposesReads(): boolean {
    return this.block !== 'none' && !this.isReadOnly && !this.isGuarded && !this.failed;
  }

  /** Whether what COMMIT still runs could write: the query of a cursor WITH HOLD. */
  get exposesHeld(): boolean {
    return this.block !== 'none' && (this.wasWritable || this.isUnknown);
  }

  private get isReadOnly(): boolean {
    return this.facts.isReadOnly;
  }

  private apply(event: TransactionEvent): void {
    this.phase = transactionTable[this.phase][event];
    this.facts = phaseFacts[this.phase];
    if (this.facts.isReadWrite) this.wasWritable = true;
  }

  /** A BEGIN of ours, or the client's with the access that we have added to it. */
  begin(block: 'internal' | 'client', access: Access): void {
    this.wasWritable = false;
    this.isImplicit = false;
    if (block === 'client') this.implicitAccess = null;
    this.begunAccess = this.clientAccess;
    this.apply(block === 'internal' ? `internal begin ${access}` : `begin ${access}`);
  }

  /** The client's BEGIN inside a block of ours, which makes it the client's own, or of its own, which may change its access. */
  beginInside(): void {
    this.apply('begin');
  }

  /** The client's BEGIN inside a block of ours has failed. */
  disown(): void {
    this.apply('begin failed');
  }

  /** SET TRANSACTION. */
  changeAccess(): void {
    this.apply('set transaction');
  }

  /** What the server says of the access of the transaction that it is in. */
  learnAccess(access: Access): void {
    this.apply(`shows ${access}`);
  }

  guard(ofWrite: boolean): void {
    this.isGuarded = true;
    this.isGuardOfWrite = ofWrite;
  }

  release(): void {
    this.isGuarded = false;
  }

  protect(): void {
    this.isProtected = true;
  }

  /** The savepoint of a write is gone, and a guard inside it. */
  unprotect(): void {
    this.isGuarded = false;
    this.isProtected = false;
  }

  /** Back at the savepoint of a write, which stays: the transaction is what it was before it failed. */
  unwind(): void {
    this.apply('rollback to');
    this.isGuarded = false;
  }

  /** Whether the client's transaction has failed inside a savepoint of ours: what it has locked before, it keeps. */
  get keepsLocks(): boolean {
    const isInside = this.isProtected || this.isGuarded;
    return this.failed && this.block === 'client' && isInside;
  }

  /** The client's SAVEPOINT. */
  save(name: string): void {
    if (!this.failed) this.savepoints.add(name);
  }

  /**
   * To be called before a savepoint, or the end of a transaction, is sent: that is taken for done.
   * @returns what takes it back, for a statement that fails or is skipped by the server
   */
  mark(): () => void {
    const { begunAccess, isProtected, isGuarded } = this;
    const restore = this.savepoints.mark();
    return () => {
      restore();
      this.begunAccess = begunAccess;
      // a ROLLBACK TO that names no savepoint has failed inside those of ours
      this.isProtected = isProtected;
      this.isGuarded = isGuarded;
    };
  }

  /** The client's RELEASE SAVEPOINT or ROLLBACK TO SAVEPOINT, which keeps the savepoint itself. */
  rewind(name: string, how: 'release' | 'rollback to'): void {
    this.savepoints.rewind(name, how);
    this.apply(how);
    this.unprotect();
  }

  /** COMMIT or ROLLBACK. */
  end(): void {
    this.apply('end');
    this.leave();
  }

  /**
   * COMMIT or ROLLBACK AND CHAIN: the next transaction begins as the last one was. But the wall before COMMIT leaves that READ
   * ONLY; and a failure outside of savepoints makes PostgreSQL forget what BEGIN said: the transaction begins by the default
   * then, which for the server is the pinned one.
   * @returns the access that it is to have; null where the server gives it that by itself
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

  /** SET TRANSACTION outside of a block. */
  setImplicitAccess(access: Access): void {
    this.implicitAccess = access;
  }

  /** The client's batch of messages ends, by a Sync or with a Query, which is one by itself. */
  endBatch(): void {
    this.implicitAccess = null;
  }

  /** A message of the extended protocol was sent. */
  touch(): void {
    if (this.block !== 'none') return;
    this.isImplicit = true;
    this.implicitAccess ??= this.defaultAccess;
  }

  /** What the server says of itself: after every ReadyForQuery this is the truth. */
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

/**
 * In which transaction the next message will run. Moves ahead of the server as messages are sent, on the assumption
 * that they succeed; every ReadyForQuery says how it really went.
 */
import type { TransactionStatus } from '../wire/backend-messages.ts';

export type Access = 'read write' | 'read only';

/** `own`: opened by us for writes outside the client's transactions; `client`: by the client's BEGIN. */
type Block = 'none' | 'own' | 'client';

export class TransactionState {
  /** How the client's transactions begin when it does not say. */
  clientAccess: Access;
  /** The same at the start of the connection. */
  readonly initialAccess: Access;
  private readsRun = 0;
  private currentBlock: Block = 'none';
  private writable = false;
  /** What a rewound or released savepoint may bring back. */
  private begunWritable = false;
  /** The client's queries have run, with what code is in them. */
  private hasRunCode = false;
  private isFailed = false;
  /** A read's guard (a savepoint that is read-only) is open. */
  private isGuarded = false;
  /** The transaction took its access over from the one before. */
  private isChained = false;
  /** The client's savepoints, innermost last. */
  private savepoints: string[] = [];
  /** A savepoint is set to which a write of the client's can be rolled back to be run again; a guard may be inside. */
  private isProtected = false;
  /** Messages ran outside any block since the last Sync: PostgreSQL's implicit transaction is open. */
  private isImplicit = false;
  /** The block that a COMMIT or ROLLBACK has ended, if it was not skipped. */
  private left: { block: Block; writable: boolean } | null = null;

  constructor(clientAccess: Access) {
    this.clientAccess = clientAccess;
    this.initialAccess = clientAccess;
  }

  /** How many reads have run on this connection. */
  get reads(): number {
    return this.readsRun;
  }

  noteRead(): void {
    this.readsRun += 1;
    this.hasRunCode = true;
  }

  /** A write is about to run that may run code of the database's users. */
  noteCode(): void {
    this.hasRunCode = true;
  }

  get block(): Block {
    return this.currentBlock;
  }

  get failed(): boolean {
    return this.isFailed;
  }

  get guarded(): boolean {
    return this.isGuarded;
  }

  get protected(): boolean {
    return this.isProtected;
  }

  get implicit(): boolean {
    return this.isImplicit;
  }

  /** Whether nothing is open: the connection can end without loss. */
  get isIdle(): boolean {
    return this.currentBlock === 'none' && !this.isImplicit;
  }

  /** Whether a block of ours may still be open, even if a COMMIT or ROLLBACK was sent to end it. */
  get needsOwnCommit(): boolean {
    return this.currentBlock === 'own' || this.left?.block === 'own';
  }

  /** Whether a write would be staged; if not, PostgreSQL itself refuses it, being read-only or failed. */
  get stages(): boolean {
    if (this.isFailed) return false;
    return this.currentBlock === 'none' ? this.clientAccess === 'read write' : this.writable;
  }

  /** Whether a read has to be guarded first: it would run where writing is possible. */
  get exposesReads(): boolean {
    return this.currentBlock !== 'none' && this.writable && !this.isGuarded && !this.isFailed;
  }

  /** Whether what COMMIT still runs could write: the query of a cursor WITH HOLD. */
  get exposesHeld(): boolean {
    return this.currentBlock !== 'none' && this.begunWritable;
  }

  /** Whether code may have declared such a cursor. */
  get mayHold(): boolean {
    return this.exposesHeld && this.hasRunCode && !this.isFailed;
  }

  begin(block: 'own' | 'client', access: Access): void {
    this.currentBlock = block;
    this.hasRunCode = false;
    this.writable = access === 'read write';
    this.begunWritable = this.writable;
    this.isImplicit = false;
  }

  /** The client's BEGIN inside a block of ours makes it the client's own. */
  adopt(access: Access | null): void {
    this.currentBlock = 'client';
    if (access !== null) this.setAccess(access);
  }

  /** The client's BEGIN inside a block of ours has failed. */
  disown(): void {
    this.currentBlock = 'own';
  }

  setAccess(access: Access): void {
    this.writable = access === 'read write';
    this.begunWritable ||= this.writable;
  }

  guard(): void {
    this.isGuarded = true;
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

  /** Back at the savepoint of a write, which stays. */
  unwind(): void {
    this.isFailed = false;
    this.isGuarded = false;
  }

  /** Whether the client's transaction has failed inside a savepoint of ours: what it has locked before, it keeps. */
  get keepsLocks(): boolean {
    const isInside = this.isProtected || this.isGuarded;
    return this.isFailed && this.currentBlock === 'client' && isInside;
  }

  /** The client's SAVEPOINT. */
  save(name: string): void {
    if (!this.isFailed) this.savepoints.push(name);
  }

  /**
   * RELEASE and ROLLBACK TO bring back the access from before the savepoint: suppose the one that needs more care.
   * @param keeps the savepoint itself stays
   */
  rewind(name: string, keeps: boolean): void {
    const at = this.savepoints.lastIndexOf(name);
    if (at >= 0) this.savepoints.length = keeps ? at + 1 : at;
    this.isFailed = false;
    this.unprotect();
    this.writable = this.begunWritable;
  }

  /** COMMIT or ROLLBACK. */
  end(): void {
    this.left = { block: this.currentBlock, writable: this.begunWritable };
    this.leave();
  }

  /**
   * COMMIT or ROLLBACK AND CHAIN: the next transaction begins as the last one was. But a failure outside of savepoints makes
   * PostgreSQL forget what BEGIN said.
   * @returns the access that the server may not give it by itself; null when it does
   */
  chain(): Access | null {
    const isForgotten = this.isFailed && this.savepoints.length === 0;
    if (isForgotten && !this.isChained) this.writable = this.clientAccess === 'read write';
    this.isChained = true;
    this.savepoints = [];
    this.begunWritable = this.writable;
    this.hasRunCode = false;
    this.isFailed = false;
    this.unprotect();
    return isForgotten ? accessOf(this.writable) : null;
  }

  /** A message of the extended protocol was sent. */
  touch(): void {
    if (this.currentBlock === 'none') this.isImplicit = true;
  }

  /** What the server says of itself: after every ReadyForQuery this is the truth. */
  ready(status: TransactionStatus): void {
    this.isImplicit = false;
    const { left } = this;
    this.left = null;
    if (status === 'I') {
      this.leave();
      return;
    }
    if (this.currentBlock === 'none') {
      // The COMMIT was skipped after an error. Without one, suppose what needs most care.
      this.begin(left?.block === 'own' ? 'own' : 'client', accessOf(left?.writable ?? true));
      this.hasRunCode = true;
    }
    this.isFailed = status === 'E';
  }

  private leave(): void {
    this.currentBlock = 'none';
    this.writable = false;
    this.isFailed = false;
    this.unprotect();
    this.isChained = false;
    this.savepoints = [];
  }
}

function accessOf(writable: boolean): Access {
  return writable ? 'read write' : 'read only';
}

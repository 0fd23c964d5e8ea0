/**
 * The messages that the proxy sends for itself between the client's. All are prepared statements with reserved names
 * in the extended protocol, so that the client's unnamed statement, its portals and its statements are left alone.
 */
import {
  bindMessage,
  closeMessage,
  executeMessage,
  parseMessage,
} from '../wire/frontend-messages.ts';
import { deliver } from './error-mapping.ts';
import type { ErrorHandler } from './expectation.ts';
import { hiddenClose } from './expectation.ts';
import { ownPrefix } from './reserved-names.ts';
import type { TransactionState } from './transaction-state.ts';
import type { UpstreamLink } from './upstream-link.ts';

const portal = `${ownPrefix}portal`;
const once = 'once';
const guardName = `${ownPrefix}guard`;

export interface OwnStatement {
  /** Without the prefix. */
  readonly name: string;
  readonly text: string | Buffer;
  readonly types?: readonly number[];
}

export interface OwnCall {
  readonly values?: readonly (Buffer | null)[];
  /** One for each value; all text by default. */
  readonly formats?: readonly number[];
  readonly onError?: ErrorHandler;
  readonly onRow?: (payload: Buffer) => void;
  readonly onDone?: () => void;
}

const statements = {
  'read write': { name: 'begin', text: 'BEGIN READ WRITE' },
  'read only': { name: 'begin_read_only', text: 'BEGIN READ ONLY' },
  commit: { name: 'commit', text: 'COMMIT' },
  savepoint: { name: 'savepoint', text: `SAVEPOINT ${guardName}` },
  readOnly: { name: 'read_only', text: 'SET LOCAL transaction_read_only = on' },
  release: { name: 'release', text: `RELEASE SAVEPOINT ${guardName}` },
  lift: { name: 'lift', text: 'SET TRANSACTION READ WRITE' },
  restore: { name: 'restore', text: 'SET default_transaction_read_only = on' },
} as const satisfies Record<string, OwnStatement>;

const closePortal = closeMessage({ kind: 'portal', name: portal });

export class OwnMessages {
  private readonly link: UpstreamLink;
  private readonly state: TransactionState;
  private readonly prepared = new Set<string>();

  constructor(link: UpstreamLink, state: TransactionState) {
    this.link = link;
    this.state = state;
  }

  /** Opens a block of ours, with the access that the client's transactions have. */
  begin(): void {
    this.runAtEdge(statements[this.state.clientAccess]);
    this.state.begin('own', this.state.clientAccess);
  }

  /** Ends the block of ours; after an error this rolls it back. */
  commit(handlers: Pick<OwnCall, 'onError' | 'onDone'>): void {
    this.runAtEdge(statements.commit, handlers);
    this.state.end();
  }

  /** Puts a read-only savepoint around the reads that follow, if they would run where writing is possible. */
  guard(): void {
    if (!this.state.exposesReads) return;
    this.run(statements.savepoint);
    this.run(statements.readOnly);
    this.state.guard();
  }

  /** Ends the guard, if there is one: the transaction is read-write again. */
  release(): void {
    if (!this.state.guarded || this.state.failed) return;
    this.run(statements.release);
    this.state.release();
  }

  /** Makes a transaction that has just begun read-write, if the pinned default has made it read-only. */
  lift(): void {
    if (this.state.stages) this.run(statements.lift);
  }

  /** Sets the pinned read-only default back. */
  restore(): void {
    this.run(statements.restore, { onError: () => null });
  }

  /** Runs a statement of ours. Its name tells whether it has been prepared already. */
  run(statement: OwnStatement, call: OwnCall = {}): void {
    this.execute(statement, portal, call);
    this.link.send(closePortal, hiddenClose);
  }

  /**
   * At the edge of a block no portal of the client's is alive, so the unnamed one is free. An own one might stand
   * in the way of COMMIT: it stays when the message that made it has failed.
   */
  private runAtEdge(statement: OwnStatement, call: OwnCall = {}): void {
    this.execute(statement, '', call);
  }

  private execute(statement: OwnStatement, portalName: string, call: OwnCall): void {
    const { onError = deliver, onRow, onDone } = call;
    const hidden = { shown: 'nothing', onError } as const;
    this.prepare(statement, onError);
    const bind = bindMessage({
      portal: portalName,
      statement: ownPrefix + statement.name,
      values: call.values ?? [],
      formats: call.formats ?? [],
    });
    this.link.send(bind, { asked: 'bind', ...hidden });
    this.link.send(executeMessage(portalName), {
      asked: 'execute',
      ...hidden,
      ...(onRow && { onRow }),
      ...(onDone && { onDone }),
    });
  }

  /** Runs a text that will not come again. */
  runOnce(text: string | Buffer, onError: ErrorHandler): void {
    this.prepared.delete(once);
    this.run({ name: once, text }, { onError });
  }

  /** Makes sure that a statement of ours is there. */
  prepare({ name, text, types = [] }: OwnStatement, onError: ErrorHandler): void {
    if (this.prepared.has(name)) return;
    this.prepared.add(name);
    // Closing what may not be there is no error; parsing a name that is there would be.
    this.close(name);
    this.link.send(parseMessage({ name: ownPrefix + name, text, types }), {
      asked: 'parse',
      shown: 'nothing',
      onError,
      onFailure: () => this.prepared.delete(name),
    });
  }

  /** Gives up a statement of ours. */
  drop(name: string): void {
    this.prepared.delete(name);
    this.close(name);
  }

  /** DISCARD ALL and DEALLOCATE ALL took our prepared statements too. */
  forget(): void {
    this.prepared.clear();
  }

  private close(name: string): void {
    this.link.send(closeMessage({ kind: 'statement', name: ownPrefix + name }), hiddenClose);
  }
}

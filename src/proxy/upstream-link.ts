/** Sends messages upstream, each with what is expected of its answer, and tells when everything has been answered. */
import { flushMessage, syncMessage } from '../wire/frontend-messages.ts';
import type { Expectation } from './expectation.ts';
import { hiddenSync } from './expectation.ts';
import type { Outlet } from './outlet.ts';
import type { ResponseRouter } from './response-router.ts';
import type { TransactionState } from './transaction-state.ts';

export class UpstreamLink {
  private readonly outlet: Outlet;
  private readonly router: ResponseRouter;
  private readonly state: TransactionState;
  /** Messages of the extended protocol were sent and no Sync after them. */
  private isOpen = false;
  private wake: (() => void) | null = null;

  constructor(outlet: Outlet, router: ResponseRouter, state: TransactionState) {
    this.outlet = outlet;
    this.router = router;
    this.state = state;
  }

  /** Sends a message of the extended protocol. */
  send(frame: Buffer, expectation: Expectation): void {
    this.router.expect(expectation);
    this.outlet.add(frame);
    this.isOpen = true;
    this.state.touch();
  }

  /** Sends a Query, after a Sync of ours if messages of the extended protocol came before it. */
  query(frame: Buffer, expectation: Expectation): void {
    this.close();
    this.router.expect(expectation);
    this.outlet.add(frame);
  }

  /** @param frame the client's own, where there is one: it leaves together with what came before it */
  sync(expectation: Expectation, frame: Buffer = syncMessage): void {
    this.router.expect(expectation);
    this.outlet.add(frame);
    this.isOpen = false;
  }

  /** Sends a Sync of ours if messages of the extended protocol have been sent since the last one. */
  close(): void {
    if (this.isOpen) this.sync(hiddenSync);
  }

  /** Passes on the client's wish to see the answers so far. */
  requestFlush(): void {
    this.outlet.add(flushMessage);
  }

  /** Hands what was sent to the socket. */
  flush(): void {
    this.outlet.flush();
  }

  /** Waits until everything sent has been answered. What was sent must end with a Sync or a Query. */
  async idle(): Promise<void> {
    this.flush();
    if (this.router.isIdle) return;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
  }

  /** To be called after each chunk received; says whether somebody waiting has been woken. */
  received(): boolean {
    if (this.wake === null || !this.router.isIdle) return false;
    const { wake } = this;
    this.wake = null;
    wake();
    return true;
  }
}

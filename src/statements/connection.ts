/** Serves one client connection after the login: handles the client's messages one batch at a time, until one side ends. */
import type { Log } from '../log.ts';
import type { ConnectionState } from '../model/connection.ts';
import type { QueryPlanner } from '../rewrite/query-planner.ts';
import { createQueryPlanner } from '../rewrite/query-planner.ts';
import { SharedCalls } from '../rewrite/shared-calls.ts';
import { SharedNames } from '../rewrite/shared-names.ts';
import type {
  ConnectedPair,
  ProxyServices,
  ProxySettings,
  RunPipeline,
} from '../server-connection/connected-pair.ts';
import { CopyBufferTotal } from '../server-connection/copy-buffer.ts';
import { readPieces } from '../server-connection/socket-reader.ts';
import { SocketWriter } from '../server-connection/socket-writer.ts';
import { waitForResponses } from '../server-connection/sync.ts';
import type { Message } from '../wire/framer.ts';
import { Framer } from '../wire/framer.ts';
import { frontendLimits } from '../wire/limits.ts';
import { frontend } from '../wire/message-codes.ts';
import type { ConnectionContext, Surroundings } from './connection-context.ts';
import { createConnectionContext } from './connection-context.ts';
import { dispatch } from './dispatch.ts';
import { endSession, untilClosed } from './ending.ts';
import { learnPortals } from './failed-portals.ts';
import type { ReadBatch } from './read-batches.ts';
import { canReadAhead, nextReadBatch } from './read-batches.ts';
import { undo } from './staged-write.ts';

/** Creates the statement pipeline. All its connections share what it learns of statement texts. */
export function createPipeline(settings: ProxySettings): RunPipeline {
  const planner = createQueryPlanner(settings);
  const connections = new Map<string, number>();
  const copyBufferTotal = new CopyBufferTotal();
  let shared: Surroundings['shared'] | null = null;
  return async (pair, services) => {
    const { id } = pair.session;
    const count = (change: number) => connections.set(id, (connections.get(id) ?? 0) + change);
    count(1);
    const isShared = () => (connections.get(id) ?? 0) > 1;
    shared ??= {
      names: new SharedNames(services.userCalls),
      calls: new SharedCalls(services.userCalls),
    };
    const others = { isShared, copyBufferTotal, shared };
    await new Connection(pair, services, planner, others).run();
    count(-1);
    if (connections.get(id) === 0) connections.delete(id);
  };
}

/** The number of received and unprocessed bytes above which the proxy stops reading from the client. */
const maxWaitingBytes = 256 * 1024;

/** The number of read-ahead batches that are sent together. The server works on them while the proxy processes more. */
const batchesAtOnce = 16;

class Connection {
  private readonly pair: ConnectedPair;
  private readonly log: Log;
  private readonly toClient: SocketWriter;
  private readonly toUpstream: SocketWriter;
  private readonly framer: Framer;
  private readonly context: ConnectionContext;
  /** A message that takes a round trip is being handled, or the connection is being repaired before the next one. */
  private isWorking = false;
  private isOver = false;
  private readonly gone = new AbortController();
  private isStopping = false;
  /** All batches that wait for a ReadyForQuery only read, so more batches of reads may be sent behind them. */
  private onlyReads = false;
  /** Whether each socket flows, as it was set last. */
  private clientFlows = false;
  private upstreamFlows = false;

  constructor(
    pair: ConnectedPair,
    services: ProxyServices,
    planner: QueryPlanner,
    others: Omit<Surroundings, 'hasSync' | 'isNext' | 'gone'>,
  ) {
    this.pair = pair;
    this.log = services.log;
    this.toClient = new SocketWriter(pair.client);
    this.toUpstream = new SocketWriter(pair.upstream);
    this.framer = new Framer(frontendLimits(services.settings.maxMessageBytes));
    const writers = { client: this.toClient, upstream: this.toUpstream };
    const hasSync = () => this.framer.holds(frontend.sync);
    const isNext = (type: number) => this.framer.peekByte() === type;
    this.context = createConnectionContext(pair, services, planner, writers, {
      ...others,
      hasSync,
      gone: this.gone.signal,
      isNext,
    });
    pair.handle.state = () => this.state;
    pair.handle.end = (error) => this.end(error);
  }

  /** Resolves when both sockets are closed. */
  async run(): Promise<void> {
    const { client, upstream, shutdown, leftover, upstreamLeftover } = this.pair;
    const closed = Promise.all([untilClosed(client), untilClosed(upstream)]);
    readPieces(client.on('drain', this.pump), this.onClientData);
    readPieces(upstream.on('drain', this.pump), this.onUpstreamData);
    for (const event of ['end', 'close']) {
      client.on(event, () => this.end(null));
      upstream.on(event, () => this.end(null));
    }
    this.isStopping = shutdown.aborted;
    shutdown.addEventListener('abort', this.stop);
    if (client.destroyed || upstream.destroyed) this.end(null);
    if (upstreamLeftover.length > 0) this.onUpstreamData(upstreamLeftover);
    if (leftover.length > 0) this.framer.push(leftover);
    this.pump();
    await closed;
    shutdown.removeEventListener('abort', this.stop);
    this.context.copyIn.forget();
  }

  private readonly stop = (): void => {
    this.isStopping = true;
    this.pump();
  };

  private get state(): ConnectionState {
    if (this.context.router.awaited > 0) return 'active';
    return this.context.state.isIdle ? 'idle' : 'idle in transaction';
  }

  private readonly onClientData = (chunk: Buffer): void => {
    this.framer.push(chunk);
    this.pump();
  };

  private readonly onUpstreamData = (chunk: Buffer): void => {
    if (this.isOver) return;
    try {
      this.context.router.receive(chunk);
    } catch (error) {
      this.end(error);
      return;
    }
    this.context.link.received();
    this.pump();
  };

  /** Whether a COPY is running, or the rest of a message of a failed one is still arriving. Its data flows before the response arrives. */
  private get isCopying(): boolean {
    return this.context.copyIn.isOpen || this.framer.isInside;
  }

  /** Handles all messages that can be handled now, and lets the sockets flow where possible. */
  private readonly pump = (): void => {
    if (this.isOver) return;
    try {
      while (!this.isBlocked && this.handleNext());
    } catch (error) {
      this.end(error);
      return;
    }
    this.context.router.flush();
    this.toUpstream.flush();
    this.letFlow();
  };

  /** Pauses and resumes the sockets. The state is remembered, because querying the sockets for each chunk would cost more. */
  private letFlow(): void {
    const upstreamFlows = !this.toClient.isFull;
    if (upstreamFlows !== this.upstreamFlows) {
      this.upstreamFlows = upstreamFlows;
      setFlowing(this.pair.upstream, upstreamFlows);
    }
    const clientFlows = this.framer.buffered < maxWaitingBytes || !this.isBlocked;
    if (clientFlows !== this.clientFlows) {
      this.clientFlows = clientFlows;
      setFlowing(this.pair.client, clientFlows);
    }
  }

  /** Only one batch is processed at a time, except for reads. The next one waits for ReadyForQuery. */
  private get isBlocked(): boolean {
    if (this.isOver || this.toUpstream.isFull) return true;
    if (this.isCopying) return false;
    return this.isWorking || (this.context.router.awaited > 0 && !this.readsAhead);
  }

  /** Whether the next batch only reads, behind others that only read. */
  private get readsAhead(): boolean {
    return this.onlyReads && !this.isStopping && canReadAhead(this.context, this.framer.peek());
  }

  /** Handles the next message, or the work that must precede it. Returns whether there was anything to do. */
  private handleNext(): boolean {
    const { context } = this;
    if (this.isCopying) return this.handleCopy();
    if (context.router.awaited > 0) return this.readAhead();
    const { settings, retry, state } = context;
    if (settings.isBroken || retry.isWanted || state.retainsLocks) {
      this.work(this.mend());
      return true;
    }
    if (this.isStopping && context.state.isIdle) {
      this.end(this.pair.shutdown.reason);
      return false;
    }
    const batch = nextReadBatch(context, this.framer.peek());
    if (batch !== null) return this.readBatch(batch);
    const message = this.framer.next();
    if (message === null) return false;
    if (message.type === frontend.terminate) {
      this.end(null);
      return false;
    }
    this.onlyReads = false;
    const work = dispatch(context, message, this.log);
    if (work !== undefined) this.work(work);
    return true;
  }

  /** Sends a batch that reads production, while earlier ones have no response yet. */
  private readAhead(): boolean {
    // guard: a message that is sent ahead is READ ONLY whatever the statements before it have set
    this.context.internal.beReadOnly();
    if (this.context.router.awaited % batchesAtOnce === 0) this.toUpstream.flush();
    return this.readBatch({ verification: null });
  }

  private readBatch({ verification }: ReadBatch): boolean {
    this.onlyReads = true;
    this.context.pending.verification = verification;
    const messages: Message[] = [];
    while (messages.at(-1)?.type !== frontend.sync) messages.push(this.framer.next() as Message);
    for (const [index, message] of messages.entries()) {
      const work = dispatch(this.context, message, this.log);
      if (work === undefined) continue;
      this.work(this.readRest(work, messages.slice(index + 1)));
      break;
    }
    return true;
  }

  /** Handles the rest of a batch whose first messages are handled asynchronously. */
  private async readRest(work: Promise<void>, others: readonly Message[]): Promise<void> {
    await work;
    for (const message of others) await dispatch(this.context, message, this.log);
  }

  private handleCopy(): boolean {
    const { copyIn } = this.context;
    if (copyIn.pass(this.framer)) return true;
    const message = this.framer.next();
    if (message === null) return false;
    if (message.type === frontend.terminate) this.end(null);
    else copyIn.take(message);
    return true;
  }

  /** Restores pinned settings, releases the locks of a failed transaction, and runs a statement again that is to be retried. */
  private async mend(): Promise<void> {
    const { context, log } = this;
    if (context.retry.isWanted) await undo(context);
    else if (context.state.retainsLocks) {
      learnPortals(context);
      context.internal.abandon();
    }
    await waitForResponses(context);
    await context.retry.replay(async (message, bound) => dispatch(context, message, log, bound));
  }

  private work(work: Promise<void>): void {
    this.isWorking = true;
    work.then(
      () => {
        this.isWorking = false;
        this.pump();
      },
      (error: unknown) => this.end(error),
    );
  }

  /** Ends the connection. @param error the error for the client; null when one side has simply ended */
  private end(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.gone.abort();
    this.toClient.flush();
    endSession(this.pair, this.context.router, error, this.log);
  }
}

function setFlowing(socket: ConnectedPair['client'], flows: boolean): void {
  if (flows) socket.resume();
  else socket.pause();
}

/** Everything that belongs to one client connection. It is created once and passed to every step. */
import type { ReadsMode } from '../model/session.ts';
import type { OverlayManager } from '../overlay/install/manager.ts';
import { FunctionNames } from '../rewrite/function-names.ts';
import { ParameterTypes } from '../rewrite/parameter-types.ts';
import type { QueryPlanner } from '../rewrite/query-planner.ts';
import { Names } from '../rewrite/relation-names.ts';
import { Rewriter } from '../rewrite/rewrite.ts';
import type { SharedKnowledge } from '../rewrite/shared-calls.ts';
import { tableChanged } from '../rewrite/stageable.ts';
import type {
  ConnectedPair,
  ProxyMetrics,
  ProxyServices,
} from '../server-connection/connected-pair.ts';
import type { CopyBufferTotal } from '../server-connection/copy-buffer.ts';
import { CopyIn } from '../server-connection/copy-in.ts';
import type { FreshBlock } from '../server-connection/fresh-block.ts';
import { InternalQueries } from '../server-connection/internal-queries.ts';
import type { ServerQuery } from '../server-connection/internal-statement.ts';
import type {
  Portal,
  PreparedStatement,
  ResponseInFailure,
  Verification,
} from '../server-connection/prepared-statements.ts';
import { Registry } from '../server-connection/prepared-statements.ts';
import type { RouterEvents } from '../server-connection/response-router.ts';
import { ResponseRouter } from '../server-connection/response-router.ts';
import { SettingsMonitor } from '../server-connection/settings-monitor.ts';
import type { SocketWriter } from '../server-connection/socket-writer.ts';
import { beginAnew, createServerQuery } from '../server-connection/sync.ts';
import { TransactionState } from '../server-connection/transaction-state.ts';
import { UpstreamWriter } from '../server-connection/upstream-writer.ts';
import type { TransactionStatus } from '../wire/backend-messages.ts';
import { Retry } from './retry.ts';
import { StagedNotice } from './staged-notice.ts';

export interface ConnectionContext {
  readonly planner: QueryPlanner;
  readonly metrics: ProxyMetrics;
  readonly reads: ReadsMode;
  readonly state: TransactionState;
  readonly settings: SettingsMonitor;
  readonly router: ResponseRouter;
  readonly link: UpstreamWriter;
  readonly internal: InternalQueries;
  readonly query: ServerQuery;
  readonly stagedNotice: StagedNotice;
  readonly names: Names;
  readonly functions: FunctionNames;
  readonly rewriter: Rewriter;
  readonly types: ParameterTypes;
  readonly retry: Retry;
  readonly copyIn: CopyIn;
  readonly statements: Registry<PreparedStatement>;
  readonly portals: Registry<Portal>;
  /** The client's texts of cursors that were declared, by the texts that were sent. */
  readonly declared: Map<string, string>;
  /** The portals that a failed transaction has already lost, although it has not ended. */
  readonly inFailure: Registry<ResponseInFailure>;
  readonly pending: Pending;
  /** Whether the session has other connections through this proxy. They may change the rows that a write finds. */
  readonly isShared: () => boolean;
  /** Whether the client has sent the Sync of the current batch. If so, the batch can be retried whatever its outcome. */
  readonly hasSync: () => boolean;
  /** Aborted when the connection has ended. */
  readonly gone: AbortSignal;
  /** Whether the client's next message has arrived and is of the given type. */
  readonly isNext: (type: number) => boolean;
}

/** State that lasts until the next ReadyForQuery. */
interface Pending {
  /** The messages that must wait for the responses so far, because a command may change what they depend on: all except Sync, or all. */
  wait: 'before more' | 'before anything' | null;
  /** The facts to verify together with a batch that only reads staged rows and has arrived completely; null for any other batch. */
  verification: Verification | null;
  /** The implicit transaction may have a snapshot. A BEGIN in it can no longer choose its access. */
  hasSnapshot: boolean;
  /** The portal of the last write that sent `stage.begin_statement` and has not been executed. */
  begun: Portal | null;
  /** The statement whose names were resolved last, when it was parsed. */
  resolved: PreparedStatement | null;
  /** When the first of its writes began. */
  writeStart: number | null;
}

const nothingPending: Readonly<Pending> = {
  wait: null,
  verification: null,
  hasSnapshot: false,
  begun: null,
  resolved: null,
  writeStart: null,
};

interface SocketWriters {
  readonly client: SocketWriter;
  readonly upstream: SocketWriter;
}

/** The knowledge of a connection about other connections, and about its client's messages. */
export interface Surroundings
  extends Pick<ConnectionContext, 'isShared' | 'hasSync' | 'isNext' | 'gone'> {
  readonly copyBufferTotal: CopyBufferTotal;
  readonly shared: Omit<SharedKnowledge, 'user' | 'countsBytes'>;
}

const knowledge = (
  shared: Surroundings['shared'],
  { user, countsBytes }: ConnectedPair,
): SharedKnowledge => ({ ...shared, user, countsBytes });

export function createConnectionContext(
  pair: ConnectedPair,
  services: ProxyServices,
  planner: QueryPlanner,
  writers: SocketWriters,
  { copyBufferTotal, shared, ...surroundings }: Surroundings,
): ConnectionContext {
  const { settings: limits, metrics, overlays, userCalls } = services;
  const state = new TransactionState(pair.access);
  const portals = new Registry<Portal>();
  const inFailure = new Registry<ResponseInFailure>();
  const settings = new SettingsMonitor(() => names.forget());
  const pending = { ...nothingPending };
  const events: RouterEvents = {
    onReady: (status) =>
      becomeReady({ state, pending, metrics, portals, inFailure, retry, link }, status),
    onParameterStatus: (payload) => settings.observe(payload),
    isInSavepoint: () => state.guarded || state.protected,
    onRowDescription: (frame) => names.origins.shown(frame),
  };
  const router = new ResponseRouter(writers.client, events, limits.maxMessageBytes);
  const link = new UpstreamWriter(writers.upstream, router, state);
  const internal = new InternalQueries(link, state);
  const parts = { link, router, internal, state, settings };
  const query = createServerQuery(parts);
  const madeVisible = visiblyMade(overlays, link.fresh, () => beginAnew(parts, link.fresh.begun));
  const names = new Names(query, limits.allowFunctions, userCalls, knowledge(shared, pair));
  const functions = new FunctionNames(query, names, madeVisible);
  const retry = new Retry(router, names, pair.cancels, link.fresh);
  return {
    planner,
    metrics,
    reads: pair.reads,
    ...parts,
    query,
    stagedNotice: new StagedNotice(internal, pair, limits.stagedNotice),
    names,
    functions,
    rewriter: new Rewriter(query, names, functions, madeVisible, limits.allowFunctions),
    types: new ParameterTypes(names),
    retry,
    copyIn: new CopyIn(link, copyBufferTotal, pair.cancels, () => retry.disarm()),
    statements: new Registry<PreparedStatement>(),
    portals,
    declared: new Map(),
    inFailure,
    pending,
    ...surroundings,
  };
}

/**
 * Wraps the overlay manager so that the transaction can see new objects, which are newer than a snapshot that it may have.
 * @param renew takes a new snapshot for the transaction if none of the client's statements has run in it
 */
function visiblyMade(
  overlays: OverlayManager,
  block: FreshBlock,
  renew: () => Promise<void>,
): OverlayManager {
  const renewing =
    <Given extends unknown[], Made>(make: (...given: Given) => Promise<Made>) =>
    async (...given: Given): Promise<Made> => {
      // guard: the service does not wait for a lock of the client that waits for it
      if (block.hasStale) throw tableChanged;
      const made = await make(...given);
      await renew();
      return made;
    };
  return {
    demandUpToDate: overlays.demandUpToDate,
    forget: overlays.forget,
    ensure: renewing(overlays.ensure),
    ensureStagedViews: renewing(overlays.ensureStagedViews),
    ensureFunctions: renewing(overlays.ensureFunctions),
    followBlock: renewing(overlays.followBlock),
  };
}

type Readied = Pick<
  ConnectionContext,
  'state' | 'pending' | 'metrics' | 'portals' | 'inFailure' | 'retry' | 'link'
>;

/** Handles the end of a batch. When its transaction has ended, too, discards what ends with that. */
function becomeReady(
  { state, pending, metrics, portals, inFailure, retry, link }: Readied,
  status: TransactionStatus,
): void {
  state.ready(status);
  endBatch(pending, metrics);
  if (status !== 'E') inFailure.clear();
  if (status !== 'I') return;
  portals.clear();
  link.fresh.end();
  if (!retry.isWanted) retry.disarm();
}

/** Resets the pending state, and counts a staged write in the metrics. */
function endBatch(pending: Pending, metrics: ProxyMetrics): void {
  if (pending.writeStart !== null) metrics.staged(performance.now() - pending.writeStart);
  Object.assign(pending, nothingPending);
}

/** Everything that belongs to one client connection, made once and handed to every step. */
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
import { CopyIn } from '../server-connection/copy-in.ts';
import type { FreshBlock } from '../server-connection/fresh-block.ts';
import { InternalQueries } from '../server-connection/internal-queries.ts';
import type { Ask } from '../server-connection/internal-statement.ts';
import type { KeptTogether } from '../server-connection/kept-data.ts';
import type {
  AnswerInFailure,
  Portal,
  PreparedStatement,
  Verification,
} from '../server-connection/prepared-statements.ts';
import { Registry } from '../server-connection/prepared-statements.ts';
import type { RouterEvents } from '../server-connection/response-router.ts';
import { ResponseRouter } from '../server-connection/response-router.ts';
import { SettingsWatch } from '../server-connection/settings-watch.ts';
import type { SocketWriter } from '../server-connection/socket-writer.ts';
import { beginAnew, createAsk } from '../server-connection/sync.ts';
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
  readonly settings: SettingsWatch;
  readonly router: ResponseRouter;
  readonly link: UpstreamWriter;
  readonly internal: InternalQueries;
  readonly stagedNotice: StagedNotice;
  readonly names: Names;
  readonly rewriter: Rewriter;
  readonly types: ParameterTypes;
  readonly retry: Retry;
  readonly copyIn: CopyIn;
  readonly statements: Registry<PreparedStatement>;
  readonly portals: Registry<Portal>;
  /** Those that a failed transaction has lost, although it is not at its end. */
  readonly inFailure: Registry<AnswerInFailure>;
  readonly pending: Pending;
  /** Whether the session has other connections through this proxy: they may change the rows that a write meets. */
  readonly isShared: () => boolean;
  /** Whether the client has sent the Sync of the batch at hand: whatever it ends with, it can be run again. */
  readonly hasSync: () => boolean;
  /** Aborted when the connection has ended. */
  readonly gone: AbortSignal;
  /** Whether the message that the client has sent next, if it has, is of a type. */
  readonly isNext: (type: number) => boolean;
}

/** What holds until the next ReadyForQuery. */
interface Pending {
  /** A command may change what the rest of the batch depends on, Sync included or not: wait for it first. */
  wait: 'before more' | 'before anything' | null;
  /** What is to be asked along with the batch, which only reads staged rows and has come whole; null for any other. */
  verification: Verification | null;
  /** The implicit transaction may have a snapshot: a BEGIN in it can no longer choose its access. */
  hasSnapshot: boolean;
  /** The portal whose write was entered last and has not been executed. */
  entered: Portal | null;
  /** The statement whose names were resolved last, when it was parsed. */
  resolved: PreparedStatement | null;
  /** When the first of its writes was begun. */
  writeStart: number | null;
}

const nothingPending: Readonly<Pending> = {
  wait: null,
  verification: null,
  hasSnapshot: false,
  entered: null,
  resolved: null,
  writeStart: null,
};

interface SocketWriters {
  readonly client: SocketWriter;
  readonly upstream: SocketWriter;
}

/** What a connection knows of others, and of what its client has sent. */
export interface Surroundings
  extends Pick<ConnectionContext, 'isShared' | 'hasSync' | 'isNext' | 'gone'> {
  readonly keptTogether: KeptTogether;
  readonly shared: Omit<SharedKnowledge, 'user'>;
}

export function createConnectionContext(
  pair: ConnectedPair,
  services: ProxyServices,
  planner: QueryPlanner,
  writers: SocketWriters,
  { keptTogether, shared, ...surroundings }: Surroundings,
): ConnectionContext {
  const { settings: limits, metrics, overlays, made } = services;
  const state = new TransactionState(pair.access);
  const portals = new Registry<Portal>();
  const inFailure = new Registry<AnswerInFailure>();
  const settings = new SettingsWatch(() => names.forget());
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
  const ask = createAsk(parts);
  const madeVisible = visiblyMade(overlays, link.fresh, () => beginAnew(parts, link.fresh.begun));
  const names = new Names(ask, limits.allowFunctions, made, { ...shared, user: pair.user });
  const retry = new Retry(router, names, pair.cancels, link.fresh);
  return {
    planner,
    metrics,
    reads: pair.reads,
    state,
    settings,
    router,
    link,
    internal,
    stagedNotice: new StagedNotice(internal, pair, limits.stagedNotice),
    names,
    rewriter: rewriterOf(ask, names, madeVisible, limits.allowFunctions),
    types: new ParameterTypes(names),
    retry,
    copyIn: new CopyIn(link, keptTogether, pair.cancels, () => retry.disarm()),
    statements: new Registry<PreparedStatement>(),
    portals,
    inFailure,
    pending,
    ...surroundings,
  };
}

function rewriterOf(
  ask: Ask,
  names: Names,
  overlays: OverlayManager,
  allowed: readonly string[],
): Rewriter {
  return new Rewriter(ask, names, new FunctionNames(ask, names, overlays), overlays, allowed);
}

/**
 * What is made for a statement is newer than a snapshot that the transaction may have.
 * @param renew gives the transaction another one, if nothing of the client's has run in it
 */
function visiblyMade(
  overlays: OverlayManager,
  block: FreshBlock,
  renew: () => Promise<void>,
): OverlayManager {
  const renewing =
    <Given extends unknown[]>(make: (...given: Given) => Promise<void>) =>
    async (...given: Given): Promise<void> => {
      // guard: the service does not wait for a lock of the client that waits for it
      if (block.hasStale) throw tableChanged;
      await make(...given);
      await renew();
    };
  return {
    demandUpToDate: overlays.demandUpToDate,
    ensure: renewing(overlays.ensure),
    ensureStagedViews: renewing(overlays.ensureStagedViews),
    ensureFunctions: renewing(overlays.ensureFunctions),
  };
}

type Readied = Pick<
  ConnectionContext,
  'state' | 'pending' | 'metrics' | 'portals' | 'inFailure' | 'retry' | 'link'
>;

/** A batch has ended; with its transaction, what lives no longer than that. */
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

/** Nothing is pending any more; a write that was is told. */
function endBatch(pending: Pending, metrics: ProxyMetrics): void {
  if (pending.writeStart !== null) metrics.staged(performance.now() - pending.writeStart);
  Object.assign(pending, nothingPending);
}

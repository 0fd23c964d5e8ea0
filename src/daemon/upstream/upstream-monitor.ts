/** Monitors whether the upstream database is available, and prepares the schema `stage` whenever it becomes available. */
import type { Database } from '../../db/database.ts';
import type { ErrorCode } from '../../errors.ts';
import { StageError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Lack, Upstream, UpstreamState } from '../../rest/services.ts';
import { withinTime } from '../within-time.ts';
import { loginHint } from './login-hints.ts';
import type { Server } from './upstream-check.ts';
import { checkServer } from './upstream-check.ts';

export interface MonitorOptions {
  /** Opens a pool of one connection for the checks. */
  readonly open: () => Database;
  /** Upgrades the schema. */
  readonly prepare: (db: Database) => Promise<void>;
  /** Searches for another host if the current one cannot be used. @returns whether the host changed */
  readonly seek: () => Promise<boolean>;
  /** Called at each successful check. @returns what the upstream cannot do, or null */
  readonly findLack: (db: Database) => Promise<Lack | null>;
  /** Whether the schema is still prepared. @throws if another release has upgraded it */
  readonly isPrepared: (db: Database) => Promise<boolean>;
  /** Removes secrets from a text that will be shown. */
  readonly redact: (text: string) => string;
  readonly log: Log;
  /** Time limit of one check. */
  readonly timeoutMs: number;
  /** Time between checks, while the upstream is ready and while it is not. */
  readonly intervalsMs: { readonly ready: number; readonly broken: number };
}

/** Waiting does not resolve these errors. They prevent the start; after the start they are reported in the state. */
const incurable: ReadonlySet<ErrorCode> = new Set([
  'configuration_invalid',
  'schema_too_new',
  'forbidden',
]);

export class UpstreamMonitor implements Upstream {
  readonly #options: MonitorOptions;
  #state: UpstreamState = { ready: false, error: 'the upstream has not been checked yet' };
  #probe: Database;
  #checking: Promise<unknown> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #wasReady = false;
  #stopped = false;

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#probe = options.open();
  }

  get state(): UpstreamState {
    return this.#state;
  }

  async check(): Promise<UpstreamState> {
    await this.#checkOnce();
    return this.#state;
  }

  /**
   * Checks for the first time, and then regularly.
   * @throws StageError if the upstream is reachable but cannot be served as it is
   */
  async start(): Promise<void> {
    const error = await this.#checkOnce();
    if (error instanceof StageError && incurable.has(error.code)) throw error;
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#checking;
    await this.#probe.close();
  }

  #schedule(): void {
    if (this.#stopped) return;
    const { ready, broken } = this.#options.intervalsMs;
    const checkAgain = () => void this.#checkOnce().then(() => this.#schedule());
    this.#timer = setTimeout(checkAgain, this.#state.ready ? ready : broken);
  }

  /** Runs one check at a time; concurrent callers share it. @returns the error, or null */
  #checkOnce(): Promise<unknown> {
    if (this.#stopped) return Promise.resolve(null);
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async #check(): Promise<unknown> {
    const { timeoutMs, isPrepared, prepare, findLack, redact } = this.#options;
    try {
      const { server, hasMoved } = await this.#checkHosts();
      if (this.#wasReady && !server.prepared) throw disappeared();
      if (hasMoved || !this.#state.ready || !(await isPrepared(this.#probe)))
        await prepare(this.#probe);
      this.#wasReady = true;
      const lack = await withinTime(timeoutMs, findLack(this.#probe));
      const { version } = server;
      this.#change({ ready: true, version, ...(lack === null ? {} : { lack }) });
      return null;
    } catch (error) {
      this.#change(brokenState(error, redact, this.#wasReady));
      return error;
    }
  }

  /**
   * Checks the server of the current host, or of another one if it cannot be used. While the upstream is not ready, all hosts are queried
   * first, because the current one may be an old primary, which works but must not be used.
   */
  async #checkHosts(): Promise<{ server: Server; hasMoved: boolean }> {
    const { ready } = this.#state;
    // guard: a daemon that starts does not go to an old primary
    const hasMoved = !ready && (await this.#seek());
    try {
      return { server: await this.#checkServer(), hasMoved };
    } catch (error) {
      if (!ready || !(await this.#seek())) throw error;
      return { server: await this.#checkServer(), hasMoved: true };
    }
  }

  async #seek(): Promise<boolean> {
    const hasMoved = await this.#options.seek();
    if (hasMoved) this.#reopen();
    return hasMoved;
  }

  async #checkServer(): Promise<Server> {
    const server = await withinTime(this.#options.timeoutMs, checkServer(this.#probe));
    if (server === null) throw this.#noResponse();
    return server;
  }

  #reopen(): void {
    void this.#probe.close();
    this.#probe = this.#options.open();
  }

  /** Opens a new connection for the next check, because one without a response may hang forever. */
  #noResponse(): StageError {
    this.#reopen();
    return unavailable(`the upstream database gave no answer in ${this.#options.timeoutMs} ms`);
  }

  #change(state: UpstreamState): void {
    const last = this.#state;
    this.#state = state;
    const { log } = this.#options;
    if (state.ready && !last.ready) log.info('upstream ready');
    if (state.ready) logLack(state.lack, last.ready ? last.lack : undefined, log);
    if (state.ready || (!last.ready && last.error === state.error)) return;
    log.warn('upstream not ready', { error: state.error, hint: state.hint });
  }
}

function logLack(lack: Lack | undefined, before: Lack | undefined, log: Log): void {
  if (lack !== undefined && before === undefined)
    log.warn('upstream lacks something', { lack: lack.message, hint: lack.hint });
  if (lack === undefined && before !== undefined) log.info('upstream is complete again');
}

function disappeared(): StageError {
  return unavailable(
    'the schema stage has disappeared from the upstream database',
    'Restore it from a backup, or restart the service to begin with an empty one.',
  );
}

function unavailable(message: string, hint?: string): StageError {
  return new StageError('upstream_unavailable', message, hint === undefined ? {} : { hint });
}

/** After these errors a service that was ready before continues to serve reads: a newer release has upgraded the schema. */
const outdating: ReadonlySet<ErrorCode> = new Set(['schema_too_new', 'service_outdated']);

function brokenState(
  error: unknown,
  redact: (text: string) => string,
  wasReady: boolean,
): UpstreamState {
  const message = redact(error instanceof Error ? error.message : String(error));
  const known = error instanceof StageError ? error : null;
  const hint = known === null ? loginHint(error, message) : known.hint;
  const reason = known?.facts['reason'];
  const isOutdated = wasReady && known !== null && outdating.has(known.code);
  return {
    ready: false,
    error: message,
    ...(hint === undefined ? {} : { hint }),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(isOutdated ? { outdated: true } : {}),
  };
}

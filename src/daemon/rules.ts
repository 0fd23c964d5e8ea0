/** The rules of review that need nobody: scheduled approvals, expiry by the policy, approval by the policy. Any daemon follows them. */
import type { Database } from '../db/database.ts';
import type { Metrics } from '../metrics.ts';
import type { Token } from '../model/access.ts';
import { findIn } from '../rest/policy-bodies.ts';
import type { Upstream } from '../rest/services.ts';
import type { AutoOutcome, AutoRules } from '../review/decisions/auto-approve.ts';
import { createPolicyUpkeep } from '../review/decisions/follow-policy.ts';
import type { Retries, Retry } from '../review/decisions/retries.ts';
import type { ScheduledOutcome } from '../review/decisions/scheduled.ts';
import { applyDue, serviceRetries } from '../review/decisions/scheduled.ts';
import type { ExpiryOutcome } from '../review/policy/expire-by-policy.ts';
import type { Parts } from './parts.ts';
import { startPeriodicTask } from './periodic-task.ts';

/** The approvals by this daemon that have failed. */
export interface FailedApprovals {
  readonly scheduled: Retries;
  readonly byPolicy: Retries;
  /** Returns how many are tried again. */
  readonly count: () => number;
}

/** Creates the records of failed approvals. */
export function createFailedApprovals(): FailedApprovals {
  const [scheduled, byPolicy] = [serviceRetries(), serviceRetries()];
  return { scheduled, byPolicy, count: () => scheduled.failing() + byPolicy.failing() };
}

interface RuleNeeds {
  readonly db: Database;
  readonly upstream: Upstream;
  readonly metrics: Metrics;
  /** Returns the tokens that are accepted now. */
  readonly tokens: () => readonly Token[];
  readonly failed: FailedApprovals;
}

/**
 * Starts the tasks of the policy at once, for the approvals that became due while no daemon ran. Scheduled approvals have a task of their
 * own, so that they do not wait for the rehearsal of another session.
 */
export function startRules(
  parts: Parts,
  { db, upstream, metrics, tokens, failed }: RuleNeeds,
): void {
  const rules = rulesOf(parts, tokens);
  const followPolicy = createPolicyUpkeep(db, rules, failed.byPolicy);
  const task = (name: string, failure: string, run: () => Promise<void>) =>
    startPeriodicTask(parts, upstream, { name, everyMs: 2_000, failure, run });
  task('scheduled approvals', 'scheduled approvals could not be applied', async () => {
    for (const outcome of await applyDue(db, rules, failed.scheduled))
      reportScheduled(parts, metrics, outcome);
  });
  task('rules of the policy', 'the policy could not be followed', async () => {
    const { expired, approved } = await followPolicy();
    for (const outcome of expired) reportExpired(parts, metrics, outcome);
    for (const outcome of approved) reportApproved(parts, metrics, outcome);
  });
}

function reportScheduled(
  { log }: Parts,
  metrics: Metrics,
  { id, applied, error, retry }: ScheduledOutcome,
): void {
  if (applied !== null) {
    metrics.reviewed('approved', applied.mutationCount);
    log.info('scheduled approval applied', { session: id });
    return;
  }
  const facts = { session: id, error: (error as Error).message };
  if (retry === null) log.warn('scheduled approval refused', facts);
  else warnOfRetry(log, 'scheduled approval failed', facts, retry);
}

/**
 * Logs that a task is retried. If only somebody else uses the session, that happens every few seconds, so ever fewer attempts are logged.
 */
function warnOfRetry(
  log: Parts['log'],
  message: string,
  facts: Readonly<Record<string, unknown>>,
  { attempts, pauseMs }: Retry,
): void {
  const isLogged = pauseMs > 10_000 || Number.isInteger(Math.log2(attempts));
  if (isLogged) log.warn(message, { ...facts, attempts, retry_ms: pauseMs });
}

function reportExpired(
  { log }: Parts,
  metrics: Metrics,
  { id, rejected, error, retry }: ExpiryOutcome,
): void {
  if (retry !== undefined)
    warnOfRetry(
      log,
      'session could not expire',
      { session: id, error: (error as Error).message },
      retry,
    );
  if (rejected === null) return;
  metrics.reviewed('rejected', rejected.mutationCount);
  log.info('session expired', { session: id, project: rejected.projectId });
}

function reportApproved(
  { log }: Parts,
  metrics: Metrics,
  { id, version, approved, hindrance, retry }: AutoOutcome,
): void {
  const facts = { session: id, policy: version };
  if (approved !== null) {
    log.info('approved by the policy', facts);
    metrics.reviewed('approved', approved.mutationCount);
  } else if (retry === undefined)
    log.info('not approved by the policy', { ...facts, why: hindrance });
  else warnOfRetry(log, 'approval by the policy failed', { ...facts, error: hindrance }, retry);
}

function rulesOf({ settings }: Parts, tokens: RuleNeeds['tokens']): AutoRules {
  return {
    fourEyes: settings.fourEyes,
    ignoredColumns: settings.conflictIgnoreColumns,
    sensitiveColumns: settings.sensitiveColumns,
    refuseDifferences: settings.triggerDifferences === 'refuse',
    lockTimeoutMs: settings.approveLockTimeoutMs,
    find: (name, projectId) => findIn(tokens())(name, projectId),
    rehearsal: {
      access: settings.rehearsal,
      timeoutMs: settings.rehearsalTimeoutMs,
      scanRows: settings.rehearsalScanRows,
    },
  };
}

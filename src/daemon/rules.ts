/** The rules of review that need nobody: scheduled approvals, expiry by the policy, approval by the policy. Any daemon follows them. */
import type { Database } from '../db/database.ts';
import { StageError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import type { Token } from '../model/access.ts';
import { findIn } from '../rest/policy-bodies.ts';
import type { Upstream } from '../rest/services.ts';
import type { AutoRules } from '../review/decisions/auto-approve.ts';
import { createAutoApproval } from '../review/decisions/auto-approve.ts';
import { applyDue } from '../review/decisions/scheduled.ts';
import { createPolicyExpiry } from '../review/policy/expire-by-policy.ts';
import type { Parts } from './parts.ts';
import { startPeriodicTask } from './periodic-task.ts';

interface RuleNeeds {
  readonly db: Database;
  readonly upstream: Upstream;
  readonly metrics: Metrics;
  /** Returns the tokens that are accepted now. */
  readonly tokens: () => readonly Token[];
}

/** Starts at once: with what became due while no daemon ran. */
export function startRules(parts: Parts, { db, upstream, metrics, tokens }: RuleNeeds): void {
  const rules = rulesOf(parts, tokens);
  const autoApprove = createAutoApproval(db, rules);
  const expireByPolicy = createPolicyExpiry(db);
  const { log } = parts;
  const task = (name: string, failure: string, run: () => Promise<void>) =>
    startPeriodicTask(parts, upstream, { name, everyMs: 2_000, failure, run });
  task('scheduled approvals', 'scheduled approvals could not be applied', async () => {
    for (const { id, applied, error } of await applyDue(db, rules)) {
      if (applied !== null) metrics.reviewed('approved', applied.mutationCount);
      if (error === null) log.info('scheduled approval applied', { session: id });
      else log.warn(refusedOrFailed(error), { session: id, error: (error as Error).message });
    }
  });
  task('expiry by the policy', 'expired proposals could not be rejected', async () => {
    for (const { id, rejected, error } of await expireByPolicy()) {
      if (rejected === null)
        log.warn('session could not expire', { session: id, error: (error as Error).message });
      else {
        metrics.reviewed('rejected', rejected.mutationCount);
        log.info('session expired', { session: id, project: rejected.projectId });
      }
    }
  });
  task('approval by the policy', 'proposals could not be approved by the policy', async () => {
    for (const { id, version, approved, hindrance } of await autoApprove()) {
      const facts = { session: id, policy: version };
      if (approved === null) log.info('not approved by the policy', { ...facts, why: hindrance });
      else log.info('approved by the policy', facts);
      if (approved !== null) metrics.reviewed('approved', approved.mutationCount);
    }
  });
}

const refusedOrFailed = (error: unknown) =>
  error instanceof StageError ? 'scheduled approval refused' : 'scheduled approval failed';

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

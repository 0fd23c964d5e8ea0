/** Approves proposed sessions by the policy, without anybody. Several daemons may do so at once: each session is approved once. */
import type { Database } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { RehearsalAccess } from '../../model/access.ts';
import type { Session } from '../../model/session.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import { readBrief } from '../brief/brief.ts';
import { counts } from '../conflicts.ts';
import { digestOf } from '../diff/diff-tables.ts';
import type { AutoApproval } from '../policy/auto-approval.ts';
import type { PolicyCheck } from '../policy/check.ts';
import { broken, checkPolicy } from '../policy/check.ts';
import type { Policy } from '../policy/evaluate.ts';
import type { Proposal } from '../policy/proposals.ts';
import { isUndecided } from '../policy/proposals.ts';
import { areOpen } from '../policy/windows.ts';
import { rehearseSession } from '../rehearsal/rehearse.ts';
import { renewOutdated } from '../renew.ts';
import { inSnapshot } from '../snapshot.ts';
import { approveSession } from './approve.ts';
import type { Retries, Retry } from './retries.ts';
import type { ServiceRules } from './scheduled.ts';
import { serviceRetries } from './scheduled.ts';
import { isTransient } from './transient.ts';

/** The maximum number of sessions that are considered in one run. */
const atOnce = 100;

/** No further session is considered in a run after that time. */
const longestRunMs = 10_000;

export interface AutoRules extends ServiceRules {
  readonly sensitiveColumns: readonly string[];
  readonly rehearsal: {
    readonly access: RehearsalAccess;
    readonly timeoutMs: number;
    readonly scanRows: number;
  };
}

/** A session that the policy has approved, or why it has not. */
export interface AutoOutcome {
  readonly id: string;
  readonly version: number;
  readonly approved: Session | null;
  readonly hindrance: string | null;
  /** Set if it is considered again after a pause. */
  readonly retry?: Retry;
}

/**
 * Returns the function that considers each proposal once for each version of the policy. A proposal with a temporary obstacle is tried
 * again.
 */
export function createAutoApproval(
  db: Database,
  rules: AutoRules,
  retries: Retries = serviceRetries(),
): (policy: Policy, proposed: readonly Proposal[]) => Promise<readonly AutoOutcome[]> {
  let considered = new Set<string>();
  return async ({ version }, proposed) => {
    // guard: the policy does not approve where the configuration demands people
    if (rules.fourEyes) return [];
    considered = new Set(proposed.map(({ key }) => key).filter((key) => considered.has(key)));
    const outcomes: AutoOutcome[] = [];
    const end = performance.now() + longestRunMs;
    const paused = new Set(retries.paused());
    // guard: a session that was considered does not stop others from being considered
    const open = proposed.filter((one) => !considered.has(one.key) && isOpen(one));
    for (const one of open.filter(({ key }) => !paused.has(key)).slice(0, atOnce)) {
      // rehearsals may take long, and proposals expire meanwhile: the others follow in the next run
      if (performance.now() > end) break;
      const outcome = await considerOrRetry(db, one, { rules, version, retries });
      if (outcome === null) continue;
      outcomes.push(outcome);
      if (outcome.retry !== undefined) continue;
      considered.add(one.key);
      retries.succeeded(one.key);
    }
    return outcomes;
  };
}

/** Returns whether a rule that holds for a proposal approves sessions, and all windows are open. */
function isOpen({ rules, now, isScheduled, isDerived }: Proposal): boolean {
  if (isScheduled || isDerived || !rules.some((rule) => rule.auto_approve)) return false;
  return areOpen(
    rules.flatMap(({ windows }) => (windows === undefined ? [] : [windows])),
    now,
  );
}

interface Run {
  readonly rules: AutoRules;
  readonly version: number;
  readonly retries: Retries;
}

/**
 * Considers a proposal; after a temporary obstacle it is tried again. Returns null if it was decided meanwhile, or has to be considered
 * again at once.
 */
async function considerOrRetry(
  db: Database,
  one: Proposal,
  { rules, version, retries }: Run,
): Promise<AutoOutcome | null> {
  const { id, key } = one;
  try {
    const outcome = await consider(db, id, rules, version);
    // guard: what was found of a session while others decided it is no reason
    if (outcome?.approved === null && !(await isUndecided(db, one))) return null;
    return outcome;
  } catch (error) {
    const retry = retries.failed(key, error);
    return { id, version, approved: null, hindrance: (error as Error).message, retry };
  }
}

/** Returns null if it has to be considered again. @throws StageError a transient one */
async function consider(
  db: Database,
  id: string,
  rules: AutoRules,
  version: number,
): Promise<AutoOutcome | null> {
  try {
    const check = await db.transaction((tx) => checkPolicy(tx, sessionUuid(id)));
    const { auto = null } = check ?? {};
    // another policy was set meanwhile, or its windows have closed
    if (check === null || auto === null || check.version !== version) return null;
    if (broken(check, ['windows']).length > 0) return null;
    if (auto.hindrance !== null) return { id, version, approved: null, hindrance: auto.hindrance };
    return await approve(db, id, { check, auto, rules });
  } catch (error) {
    if (isTransient(error)) throw error;
    // it was decided or changed meanwhile
    if (
      error instanceof StageError &&
      ['invalid_transition', 'digest_mismatch', 'outside_window', 'session_not_found'].includes(
        error.code,
      )
    )
      return null;
    // guard: a session that cannot be approved does not stop the others
    return { id, version, approved: null, hindrance: (error as Error).message };
  }
}

interface Considered {
  readonly check: PolicyCheck;
  readonly auto: AutoApproval;
  readonly rules: AutoRules;
}

async function approve(
  db: Database,
  id: string,
  { check: { version }, auto, rules }: Considered,
): Promise<AutoOutcome> {
  await renewOutdated(db, id);
  // the rows that the brief and the rehearsal are about are those that are approved
  const digest = await inSnapshot(db, (tx) => digestOf(tx, sessionUuid(id)));
  const hindrance =
    (await flagged(db, id, auto, rules)) ??
    (auto.rehearsed ? await unlikeRehearsed(db, id, rules) : null);
  if (hindrance !== null) return { id, version, approved: null, hindrance };
  const { find, ignoredColumns, refuseDifferences, lockTimeoutMs } = rules;
  const demands = { ignoredColumns, refuseDifferences, lockTimeoutMs, findPerson: find };
  const by = { approvedBy: `policy ${version}`, approvedAs: null, byPolicy: version };
  const approved = await approveSession(db, id, { ...by, ...demands, digest });
  return { id, version, approved, hindrance: null };
}

/** Returns what the brief of a session has that no rule allows; null if nothing. */
async function flagged(
  db: Database,
  id: string,
  { flags: allowed }: AutoApproval,
  { sensitiveColumns }: AutoRules,
): Promise<string | null> {
  const { tables, flags } = await readBrief(db, id, {
    readableOnly: true,
    ownOnly: false,
    sensitiveColumns,
  });
  // guard: the policy approves nothing that its author may not see
  if (tables.some(({ hidden }) => hidden)) return 'it changes a table that its author may not read';
  // a brief of a sample does not name every flag
  if (tables.some(({ sampled }) => sampled !== null)) return 'the brief knows a sample only';
  // it is rehearsed where the rules demand that
  const others = flags.filter(({ code }) => code !== 'never_rehearsed');
  // guard: the policy approves no session with a flag that its rules do not allow
  const flag = others.find(({ code }) => !allowed.includes(code));
  if (flag === undefined) return null;
  return `its brief has the flag ${flag.code}${flag.table === null ? '' : ` of ${flag.table}`}`;
}

/** Returns what a rehearsal shows beyond the staged rows; null if they land as they are, and nothing else changes. */
async function unlikeRehearsed(
  db: Database,
  id: string,
  { rehearsal, ignoredColumns, refuseDifferences, lockTimeoutMs }: AutoRules,
): Promise<string | null> {
  if (rehearsal.access === 'off') return 'the configuration allows no rehearsal';
  const { timeoutMs, scanRows } = rehearsal;
  const limits = { timeoutMs, scanRows, lockTimeoutMs, ignoredColumns, refuseDifferences };
  const found = await rehearseSession(db, id, { ...limits, readableOnly: false });
  if (found.conflicts.some(counts)) return 'production has changed';
  if (found.failure !== null) return `production refuses it: ${found.failure.sqlstate}`;
  // guard: the policy approves no effects of triggers beyond the staged rows
  if (found.sideEffects?.length !== 0) return 'its rehearsal changes other rows, too';
  // guard: the policy approves rows that land as they were staged
  if (found.differs?.length !== 0 || found.triggerDifferences !== null)
    return 'its rehearsal gives other values than were staged';
  const [warning] = found.warnings;
  return warning === undefined ? null : `its rehearsal warns: ${warning}`;
}

/** The state of a session as tools report it, at once or after the next event. */
import { z } from 'zod';
import type { ApiClient } from '../client/api-client.ts';
import { nextEvent } from '../client/news.ts';
import { approvalsInWords, checkSession } from '../client/policy.ts';
import { remarkOf } from '../client/session-words.ts';
import type { Event } from '../model/event.ts';
import { eventShape } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import type { Session, SessionStatus } from '../model/session.ts';
import { writerOf } from '../model/shape.ts';
import { fitting } from './data.ts';
import type { Call, Outcome } from './tool.ts';

const intervalMs = 500;
const pageLength = 500;

/** The longest wait in seconds: most clients give up on a call after a minute, unless they are notified of its progress. */
const mostSeconds = 50;
const mostSecondsWithProgress = 3600;

/** The interval between notifications of progress. */
const pulseMs = 10_000;

/** The argument for the wait. */
export const waiting = z
  .int()
  .min(0)
  .max(mostSecondsWithProgress)
  .default(0)
  .meta({
    description: `How long to wait for news. More than ${mostSeconds} counts only where the client takes notifications of progress.`,
    examples: [mostSeconds],
  });

/**
 * Waits for an event of a session under review, and reports the state. In any other state it reports at once.
 * @param seconds the longest wait
 * @param after the number of an event; only later ones are reported
 */
export async function reportStatus(
  call: Call,
  seconds: number,
  after: string | undefined,
): Promise<Outcome> {
  const { session, events, last } = await waitForNews(call, seconds, after);
  const { status, round, mutationCount, reason, approvedBy } = session;
  const [shown, truncated] = fitting(events.map(eventBody));
  const verdict = verdictOf(status, events);
  const policy = await policyFacts(call, status);
  const remark = remarkOf(session);
  return {
    summary: `The session is ${status}.${verdict === 'changes_requested' ? ' Changes are requested.' : ''}`,
    next: verdict === null ? nexts[status] : nextsByVerdict[verdict],
    facts: {
      status,
      round,
      verdict,
      mutation_count: mutationCount,
      last_event: last,
      review_url: call.reviewUrl(call.sessionId) ?? undefined,
    },
    data: {
      events: shown,
      reason,
      approved_by: approvedBy,
      ...(remark && { remark }),
      ...policy,
    },
    truncated,
  };
}

/** Returns the rules that hold for the session, and the votes on it; nothing if no policy is set, or if the session is decided. */
async function policyFacts({ api, sessionId }: Call, status: SessionStatus): Promise<JsonObject> {
  if (status !== 'active' && status !== 'proposed') return {};
  const { version, verdicts, approvals } = (await checkSession(api, sessionId)).value;
  if (version === '0') return {};
  const rules = verdicts.map(({ rule, holds, says, opensAt }) => ({
    rule,
    holds,
    says,
    opens_at: opensAt,
  }));
  return { rules, approvals: approvals && approvalsInWords(approvals) };
}

const nexts: Readonly<Record<SessionStatus, string>> = {
  active: 'Stage changes with stage_write; propose when they are what was asked for.',
  proposed:
    'Nobody has decided yet. Call again with wait_seconds and last_event as after_event, or come back later.',
  approved: 'The changes are in production. The work is done.',
  rejected:
    'Everything staged is gone, and production is unchanged. Tell the person you work for, with the reason.',
};

const verdicts = ['changes_requested', 'withdrawn', 'approved', 'rejected'] as const;
type Verdict = (typeof verdicts)[number];

const nextsByVerdict: Readonly<Record<Verdict, string>> = {
  changes_requested:
    'The session accepts writes again, and its staged rows stay. Read the message of the last event of the kind changes_requested, correct with stage_write, check with show_diff, and propose again.',
  withdrawn: nexts.active,
  approved: nexts.approved,
  rejected: nexts.rejected,
};

/** Returns the latest decision; null if the session is under review, or if no event since reports a decision. */
function verdictOf(status: SessionStatus, events: readonly Event[]): Verdict | null {
  if (status === 'approved' || status === 'rejected') return status;
  if (status === 'proposed') return null;
  const decided = events.findLast(({ kind }) => kind !== 'comment')?.kind;
  return verdicts.find((verdict) => verdict === decided) ?? null;
}

const eventBody = writerOf(eventShape);

interface News {
  readonly session: Session;
  readonly events: readonly Event[];
  /** The number of the last event. */
  readonly last: string;
}

/** Waits for an event of a session under review. In any other state it returns at once. */
async function waitForNews(call: Call, seconds: number, after: string | undefined): Promise<News> {
  const { progress } = call;
  const most = progress === null ? mostSeconds : mostSecondsWithProgress;
  const deadline = performance.now() + Math.min(seconds, most) * 1000;
  let news = await readNews(call, after);
  const known = after ?? news.last;
  while (news.session.status === 'proposed' && news.last === known) {
    const mostMs = deadline - performance.now();
    if (mostMs <= 0) break;
    await progress?.('Under review: nobody has decided yet.');
    const { api, sessionId, signal } = call;
    const waitMs = progress === null ? mostMs : Math.min(mostMs, pulseMs);
    await nextEvent(api, sessionId, news.last, { mostMs: waitMs, intervalMs, signal });
    news = await readNews(call, after);
  }
  return news;
}

/** Reads the session and its events until both agree, since a decision in between would appear in only one of them. */
async function readNews({ api, sessionId }: Call, after = '0'): Promise<News> {
  let { value: session } = await api.getSession(sessionId);
  for (;;) {
    const behind = await eventsBehind(api, sessionId, after);
    const { value: now } = await api.getSession(sessionId);
    if (now.status === session.status && now.round === session.round)
      return { session: now, ...behind };
    session = now;
  }
}

async function eventsBehind(
  api: ApiClient,
  sessionId: string,
  after: string,
): Promise<Pick<News, 'events' | 'last'>> {
  const events: Event[] = [];
  let last = after;
  for (;;) {
    const { value } = await api.listEvents(sessionId, { after: last, limit: pageLength });
    events.push(...value);
    last = value.at(-1)?.number ?? last;
    if (value.length < pageLength) return { events, last };
  }
}

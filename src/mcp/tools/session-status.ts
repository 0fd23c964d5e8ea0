/** `session_status`: how the session is, now or once something has happened. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Session, SessionStatus } from '../../model/session.ts';
import type { Call } from '../tool.ts';
import { defineTool, reading } from '../tool.ts';

const intervalMs = 500;

export const sessionStatus = defineTool({
  name: 'session_status',
  title: 'Status of the session',
  description:
    'Tells the state of the session and the verdict. With wait_seconds it answers as soon as the state changes, or when the time is over.',
  input: {
    wait_seconds: z.int().min(0).max(50).default(0).describe('How long to wait for news'),
  },
  takesSession: true,
  annotations: reading,
  work: async ({ wait_seconds: seconds }, call) => {
    const session = await waitFor(call, seconds);
    const { status, mutationCount, reason, approvedBy } = session;
    return {
      says: `The session is ${status}.`,
      next: nexts[status],
      facts: { status, mutation_count: mutationCount },
      ...((reason ?? approvedBy) ? { data: { reason, approved_by: approvedBy } } : {}),
    };
  },
});

const nexts: Readonly<Record<SessionStatus, string>> = {
  active: 'Stage changes with stage_write; propose when they are what was asked for.',
  proposed: 'Nobody has decided yet. Call again with wait_seconds, or come back later.',
  approved: 'The changes are in production. The work is done.',
  rejected:
    'Everything staged is gone, and production is unchanged. Tell the person you work for, with the reason.',
};

async function waitFor({ api, sessionId, signal }: Call, seconds: number): Promise<Session> {
  const deadline = performance.now() + seconds * 1000;
  const first = (await api.getSession(sessionId)).value;
  let session = first;
  while (session.status === first.status && performance.now() < deadline) {
    await pause(Math.min(intervalMs, deadline - performance.now()), undefined, { signal });
    session = (await api.getSession(sessionId)).value;
  }
  return session;
}

/** `stage wait`: blocks a script until a session is decided. */
import { Option } from 'commander';
import { News } from '../../../client/news.ts';
import { approvalsInWords, readApprovals } from '../../../client/policy.ts';
import type { Reply } from '../../../client/service-client.ts';
import { StageError } from '../../../errors.ts';
import { JsonText } from '../../../model/json.ts';
import type { Session, SessionStatus } from '../../../model/session.ts';
import { duration, intervalOption } from '../../arguments/duration.ts';
import type { Connection } from '../../context.ts';
import { defineSessionCommand } from '../../define-command.ts';
import { reportOutcome } from '../../output/session-text.ts';
import { withProgress } from '../../progress.ts';

const goals = ['proposed', 'approved', 'rejected', 'decided'] as const;
type Goal = (typeof goals)[number];

interface Options {
  readonly for: Goal;
  readonly timeout?: number;
  readonly interval: number;
}

/** The states that meet each goal. A session in another final state cannot meet it. */
const met: Readonly<Record<Goal, readonly SessionStatus[]>> = {
  proposed: ['proposed', 'approved', 'rejected'],
  approved: ['approved'],
  rejected: ['rejected'],
  decided: ['approved', 'rejected'],
};
const finalStates: readonly SessionStatus[] = ['approved', 'rejected'];

export const waitCommand = defineSessionCommand<Options>({
  description:
    'Wait until a session is approved, or in the state of --for. Ends with exit code 6 when it can no longer reach that state, ' +
    '8 when the time is over, and 5 when the session was deleted.',
  options: [
    new Option('--for <state>', 'state to wait for').choices(goals).default('approved'),
    [
      '--timeout <time>',
      'how long to wait, such as 90s, 15m, 1h30m (default: without limit)',
      duration,
    ],
    intervalOption(),
  ],
  examples: [
    'stage wait && ./deploy.sh',
    'stage wait sess_2f0c... --timeout 30m',
    'stage wait --for decided --json | jq -r .status',
  ],
  states: ['proposed', 'active'],
  work: async ({ context, connection, id }, options) => {
    const reply = await withProgress(
      context.out,
      () => `Waiting until ${id} is ${options.for}`,
      () => waitFor(connection, id, options),
    );
    const next =
      reply.value.status === 'approved' ? `stage audit list -s ${id}` : `stage diff ${id}`;
    await reportOutcome(context.out, reply, `Next: ${next}`);
  },
});

/** Waits until the goal is met. Once the session was read, the daemon may be unreachable for a time. */
async function waitFor(
  connection: Connection,
  id: string,
  options: Options,
): Promise<Reply<Session>> {
  const { api, interruption } = connection;
  const { signal } = interruption;
  const news = new News(api, id);
  const { interval: intervalMs } = options;
  const deadline = performance.now() + (options.timeout ?? Number.POSITIVE_INFINITY);
  let reply = await api.getSession(id);
  // the round counts proposals; an active session of a later round was proposed and reopened
  const first = reply.value.status === 'active' ? reply.value.round : reply.value.round - 1;
  let failure: StageError | null = null;
  for (;;) {
    const { status } = reply.value;
    if (met[options.for].includes(status)) return reply;
    if (finalStates.includes(status)) throw missed(reply.value, options.for);
    if (status === 'active' && reply.value.round > first) throw reopened(reply.value, options.for);
    const left = deadline - performance.now();
    if (left <= 0) throw failure ?? timedOut(reply, options.for);
    const hasNews = await news.next({ mostMs: left, intervalMs, signal });
    if (!hasNews) continue;
    failure = null;
    reply = await api.getSession(id).catch((error: unknown) => {
      if (!(error instanceof StageError) || error.exit !== 7) throw error;
      failure = error;
      return reply;
    });
  }
}

function missed({ id, status, reason }: Session, goal: Goal): StageError {
  const why = reason === null ? '' : `: ${reason}`;
  return new StageError('invalid_transition', `${id} is ${status}${why}`, {
    detail: `It will not be ${goal} any more.`,
    hint: `See \`stage session show ${id}\`; start anew with \`stage session new\`.`,
    facts: { session_id: id, status },
  });
}

function reopened({ id, status }: Session, goal: Goal): StageError {
  return new StageError('invalid_transition', `${id} was reopened: it is active, and not ${goal}`, {
    hint: `Read what is to be changed with \`stage comments ${id}\`, correct it, and propose it again.`,
    facts: { session_id: id, status },
  });
}

function timedOut({ value: { id, status }, body }: Reply<Session>, goal: Goal): StageError {
  const votes = readApprovals(new JsonText(body));
  return new StageError('still_pending', `${id} is still ${status}, and not ${goal}`, {
    ...(votes === null ? {} : { detail: `Approvals: ${approvalsInWords(votes)}.` }),
    hint: `Ask for a review, and wait on with \`stage wait ${id}\`.`,
    facts: { session_id: id, status },
  });
}

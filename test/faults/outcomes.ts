/** Classifies a response as the caller does: done, not done, or unknown. Anything else is wrong. */
import type { Answer as HttpAnswer } from '../helpers/http.ts';

export interface CallOutcome {
  readonly result: 'done' | 'undone' | 'unknown' | 'wrong';
  readonly text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the body of any answer
export function restOutcome(status: number, body: any): CallOutcome {
  const text = [status, body.error, body.reason, body.message].filter(Boolean).join(' ');
  if (status < 300) return { result: 'done', text };
  if (body.reason === 'outcome_unknown') return { result: 'unknown', text };
  const isUndone = status === 503 || body.error === 'session_busy';
  return { result: isUndone ? 'undone' : 'wrong', text };
}

export function sendRest(call: () => Promise<HttpAnswer>): Promise<CallOutcome> {
  return timed(async () => {
    const { status, body } = await call();
    return restOutcome(status, body);
  });
}

export function sendWrite(write: () => Promise<void>): Promise<CallOutcome> {
  return timed(() => write().then(() => ({ result: 'done', text: 'written' }) as const));
}

/** The connection broke, or the server was about to end: the write may have been done. */
const isBroken = /^(08...|57P0.)$/;
/** Conflicts with others, a lack of resources, or PostgreSQL refuses connections at the moment (55000). */
const isRefused = /^(53...|55000|55P03|40001|40P01|57014)$/;

function outcomeOf(error: Error & { readonly code?: string }): CallOutcome {
  const { code = '', message } = error;
  const text = `${code} ${message}`;
  if (!/^[0-9A-Z]{5}$/.test(code) || isBroken.test(code)) return { result: 'unknown', text };
  return { result: isRefused.test(code) ? 'undone' : 'wrong', text };
}

const longestMs = 90_000;

/** Waits at most a minute for a response. */
async function timed(work: () => Promise<CallOutcome>): Promise<CallOutcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<CallOutcome>((resolve) => {
    const answer = { result: 'wrong', text: `no answer after ${longestMs} ms` } as const;
    timer = setTimeout(() => resolve(answer), longestMs);
  });
  const answer = await Promise.race([work().catch(outcomeOf), late]);
  clearTimeout(timer);
  return answer;
}

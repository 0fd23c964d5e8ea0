/** Follows the service's events. A hidden page keeps no connection. */
/// <reference lib="dom" />
import { Fields } from '../client/fields.ts';
import { JsonText } from '../model/json.ts';
import { loginHeaders } from './http.ts';

export interface News {
  readonly sessionId: string;
  readonly kind: string;
  readonly by: string | null;
}

/** Receives an event; null if events may have been missed. */
type Hear = (news: News | null) => void;

const tryAgainMs = 3_000;

/**
 * Follows the events that the caller may see, until the login ends.
 * @param show receives whether the connection is open
 */
export function follow(hear: Hear, show: (isLive: boolean) => void): void {
  let current: AbortController | null = null;
  const open = async () => {
    if (current !== null || document.hidden) return;
    const mine = new AbortController();
    current = mine;
    const start = () => {
      show(true);
      hear(null);
    };
    const isOver = await listen(start, hear, mine.signal).catch(() => false);
    if (current !== mine) return;
    current = null;
    show(false);
    if (!isOver) setTimeout(open, tryAgainMs);
  };
  const close = () => {
    current?.abort();
    current = null;
    show(false);
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : void open()));
  void open();
}

/** Reads the stream until it ends. Returns whether the login has ended. An EventSource could not send the key. */
async function listen(start: () => void, hear: Hear, signal: AbortSignal): Promise<boolean> {
  const headers = { accept: 'text/event-stream', ...loginHeaders() };
  const answer = await fetch('/events', { headers, cache: 'no-store', signal });
  if (!answer.ok || answer.body === null) return answer.status === 401;
  start();
  let rest = '';
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const messages = (rest + part.value).split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const [, data] = /^data: (.*)$/m.exec(message) ?? [];
      if (data !== undefined) hear(newsOf(data));
    }
  }
  return false;
}

function newsOf(data: string): News {
  const fields = new Fields(new JsonText(data));
  const [sessionId, kind] = [fields.required('session_id'), fields.required('kind')];
  return { sessionId, kind, by: fields.text('by') };
}

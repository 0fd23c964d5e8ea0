/** What happens to a session, one event each: its changes of state, and what people say about it. `expired`: the service rejected it. */
import type { JsonText } from './json.ts';

export const eventKinds = [
  'created',
  'unstaged',
  'resolved',
  'proposed',
  'changes_requested',
  'withdrawn',
  'approved',
  'rejected',
  'deleted',
  'expired',
  'comment',
] as const;
export type EventKind = (typeof eventKinds)[number];

export interface Event {
  /** Grows from commit to commit, over all sessions; whole number as text. */
  readonly number: string;
  readonly sessionId: string;
  readonly kind: EventKind;
  readonly at: string;
  /** Name of the token that was shown; null where nobody had to show one. */
  readonly by: string | null;
  /** A JSON object: message, digest, count, or what a comment is about. */
  readonly body: JsonText;
}

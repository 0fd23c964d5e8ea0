/**
 * Events of a session: changes of its state, votes and comments. `expired`: the service rejected it because of its age.
 */
import type { JsonText } from './json.ts';

export const eventKinds = [
  'created',
  'unstaged',
  'resolved',
  'split',
  'proposed',
  'changes_requested',
  'withdrawn',
  'voted',
  'approved',
  'rejected',
  'deleted',
  'expired',
  'comment',
] as const;
export type EventKind = (typeof eventKinds)[number];

export interface Event {
  /** Grows in the order of commits, over all sessions; a whole number as text. */
  readonly number: string;
  readonly sessionId: string;
  readonly kind: EventKind;
  readonly at: string;
  /** Name of the token used; null if no token was required. */
  readonly by: string | null;
  /** A JSON object: message, digest, count, or the subject of a comment. */
  readonly body: JsonText;
}

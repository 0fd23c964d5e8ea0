/**
 * Verdicts on sessions. `vote`: an approval that was not the last one that the policy demands. `schedule`: an approval that is applied at a
 * later time; `unschedule`: it was refused then. `expire`: the service rejected the session because of its age. `review`: somebody else
 * has reviewed an approval past the policy.
 */
import type { Noun } from './shape.ts';
import { count, orNull, shape, text, time, word } from './shape.ts';

const verdicts = [
  'approve',
  'vote',
  'schedule',
  'unschedule',
  'reject',
  'request_changes',
  'withdraw',
  'expire',
  'review',
] as const;
export type Verdict = (typeof verdicts)[number];

export const decisionShape = shape(
  {
    number: text('Number of the event that reports it; a whole number', /^\d+$/),
    round: count('How often the session had been proposed'),
    verdict: word(verdicts),
    digest: orNull(
      text('The digest of the diff that was approved or voted for; null for other verdicts'),
    ),
    by: orNull(text('Name of the token; null if no token was required')),
    claimedBy: orNull(text('approved_by, as the caller stated it')),
    message: orNull(text('The reason of a rejection, or the message to the author')),
    at: time(),
  },
  'Decision',
);

export type Decision = Noun<typeof decisionShape>;

/**
 * Verdicts on sessions. `vote`: an approval that was not the last one that the policy demands. `expire`: the service rejected the session
 * because of its age.
 */

export const verdicts = [
  'approve',
  'vote',
  'reject',
  'request_changes',
  'withdraw',
  'expire',
] as const;
export type Verdict = (typeof verdicts)[number];

export interface Decision {
  /** The number of the event that reports it; a whole number as text. */
  readonly number: string;
  /** How often the session had been proposed. */
  readonly round: number;
  readonly verdict: Verdict;
  /** The digest of the diff that was approved or voted for; null for other verdicts. */
  readonly digest: string | null;
  /** Name of the token used; null if no token was required. */
  readonly by: string | null;
  /** The approver's name as the caller stated it. */
  readonly claimedBy: string | null;
  /** The reason of a rejection, or the message to the author. */
  readonly message: string | null;
  readonly at: string;
}

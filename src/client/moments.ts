/** Times at which approvals are applied, as people type them. */

const form = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/i;

/**
 * Returns a moment as requests have it: `window`, or the time in UTC. Without an offset it is a time of this machine. Null if the text is
 * no such time.
 */
export function momentIn(text: string): string | null {
  const given = text.trim();
  if (given.toLowerCase() === 'window') return 'window';
  if (!form.test(given)) return null;
  const time = new Date(given.replace(' ', 'T'));
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** Returns `at 2026-01-31T02:00:00.000Z`, or when the windows are open. */
export const momentInWords = (moment: string) =>
  moment === 'window' ? 'as soon as the windows of the policy are open' : `at ${moment}`;

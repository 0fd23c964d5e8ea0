/** How a refusal is made. The hint is one sentence that tells the user what to do instead. */
import type { Refusal } from '../refusal.ts';

/** Makes the verdict that a statement is not run; feature_not_supported unless PostgreSQL has a better SQLSTATE. */
export function refuse(message: string, hint: string, sqlstate = '0A000'): Refusal {
  return { kind: 'refuse', sqlstate, message, hint };
}

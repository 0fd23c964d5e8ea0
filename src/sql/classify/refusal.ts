/** Creates refusals. The hint is one sentence that suggests an alternative to the user. */
import type { Refusal } from '../refusal.ts';

/** Returns the verdict that a statement is refused. The SQLSTATE is feature_not_supported unless PostgreSQL has a more specific one. */
export function refuse(message: string, hint: string, sqlstate = '0A000'): Refusal {
  return { kind: 'refuse', sqlstate, message, hint };
}

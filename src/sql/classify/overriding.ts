/** OVERRIDING clauses of INSERT, as the grammar names them. */
import type { Overriding } from '../write.ts';

const values: Readonly<Record<string, Overriding['value']>> = {
  OVERRIDING_SYSTEM_VALUE: 'system',
  OVERRIDING_USER_VALUE: 'user',
};

/** What a clause says; undefined where there is none. */
export function overridingValue(override = ''): Overriding['value'] | undefined {
  return values[override];
}

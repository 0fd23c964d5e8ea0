/** The OVERRIDING clauses of INSERT, by their names in the grammar. */
import type { Overriding } from '../write.ts';

const values: Readonly<Record<string, Overriding['value']>> = {
  OVERRIDING_SYSTEM_VALUE: 'system',
  OVERRIDING_USER_VALUE: 'user',
};

/** Returns the value of a clause; undefined without one. */
export function overridingValue(override = ''): Overriding['value'] | undefined {
  return values[override];
}

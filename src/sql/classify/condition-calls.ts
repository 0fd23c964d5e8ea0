/** Finds the calls that stand in conditions on the rows of tables. */
import type { FuncCall, Node } from 'libpg-query';
import { isUnclear } from '../functions/functions.ts';
import type { CallPlace } from '../places.ts';
import type { Source } from './relation-uses.ts';
import { locateCall } from './relation-uses.ts';

const conditions: ReadonlySet<string> = new Set(['whereClause', 'quals']);

/** Marks the calls in WHERE and ON, including nested ones, by `isCondition`; none if no call is of a function whose effects are unknown. */
export function withConditions(
  query: Node,
  called: readonly CallPlace[],
  source: Source,
): readonly CallPlace[] {
  if (!called.some(isUnclear)) return called;
  const starts = new Set<number>();
  const pending = [{ value: query as unknown, isWithin: false }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    for (const [field, value] of Object.entries(next.value)) {
      const isWithin = next.isWithin || conditions.has(field);
      const place = field === 'FuncCall' && isWithin ? locateCall(value as FuncCall, source) : null;
      if (place) starts.add(place.start);
      pending.push({ value, isWithin });
    }
  }
  return called.map((call) =>
    starts.has(call.start) ? { ...call, isCondition: true as const } : call,
  );
}

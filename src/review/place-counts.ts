/** Counts for the facts of an event. They contain no keys, because readers of events need not have the right to read the table. */
import type { JsonObject } from '../model/json.ts';

/** Returns each distinct place once, in order of first occurrence, with `rows`: the number of its occurrences. */
export function countPlaces(places: readonly JsonObject[]): JsonObject[] {
  const counts = new Map<string, { readonly place: JsonObject; rows: number }>();
  for (const place of places) {
    const name = JSON.stringify(place);
    const known = counts.get(name);
    if (known) known.rows += 1;
    else counts.set(name, { place, rows: 1 });
  }
  return [...counts.values()].map(({ place, rows }) => ({ ...place, rows }));
}

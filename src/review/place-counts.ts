/** Counts for the facts of an event. No keys: who reads events need not be one who may read the table. */
import type { JsonObject } from '../model/json.ts';

/** Gives each of the places once, in the order in which they come first, with `rows`: how often it stands there. */
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

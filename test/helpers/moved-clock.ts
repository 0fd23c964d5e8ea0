/** A database whose clock shows another time to the queries of the service. Functions in the database keep its own. */
import type { Database } from '../../src/db/database.ts';

/** Returns the database with such a clock. @param aheadMs returns how far the clock is ahead, in milliseconds */
export function withClock(db: Database, aheadMs: () => number): Database {
  const moved = (query: Database['query']): Database['query'] =>
    ((text, values) =>
      query(
        text.replaceAll(
          'clock_timestamp()',
          `(clock_timestamp() + ${Math.round(aheadMs())} * interval '1 millisecond')`,
        ),
        values,
      )) as Database['query'];
  return {
    ...db,
    query: moved(db.query),
    transaction: (work, isolation, isDone) =>
      db.transaction((tx) => work({ query: moved(tx.query) }), isolation, isDone),
  };
}

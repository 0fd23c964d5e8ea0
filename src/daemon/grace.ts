/** The time that stopping may take: one span for all parts together. */

export interface Grace {
  /** Stopping begins now. */
  begin(): void;
  /** Milliseconds left; the whole span while nothing has begun. */
  left(): number;
}

/** Creates a span that has not begun. */
export function createGrace(ms: number): Grace {
  let deadline: number | null = null;
  return {
    begin: () => {
      deadline = performance.now() + ms;
    },
    left: () => (deadline === null ? ms : Math.max(0, deadline - performance.now())),
  };
}

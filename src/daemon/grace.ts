/** The time limit for stopping, shared by all parts. */

export interface Grace {
  /** Starts the time limit. */
  begin(): void;
  /** Returns the milliseconds left; the whole time before `begin`. */
  left(): number;
}

/** Creates a time limit that has not started. */
export function createGrace(ms: number): Grace {
  let deadline: number | null = null;
  return {
    begin: () => {
      deadline = performance.now() + ms;
    },
    left: () => (deadline === null ? ms : Math.max(0, deadline - performance.now())),
  };
}

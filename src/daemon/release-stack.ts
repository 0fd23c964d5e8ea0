/** Stops what was started in reverse order, once. */

export interface ReleaseStack {
  /** Registers how to stop what has just been started. */
  push(name: string, release: () => Promise<void>): void;
  /**
   * Stops everything, the last started first. A failure does not prevent the others from being stopped.
   * @throws the first failure, after all are stopped; Error if called again
   */
  release(): Promise<void>;
}

/** Creates an empty stack. */
export function createReleaseStack(onRelease: (name: string) => void = () => {}): ReleaseStack {
  const started: { name: string; release: () => Promise<void> }[] = [];
  let released = false;
  return {
    push(name, release) {
      started.push({ name, release });
    },
    async release() {
      if (released) throw new Error('everything was released before');
      released = true;
      const failures: unknown[] = [];
      for (const { name, release } of started.toReversed()) {
        onRelease(name);
        await release().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

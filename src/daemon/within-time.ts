/** Waiting with an end. */

/** Waits for work, but no longer than so many milliseconds. Gives its result, or null when it was not done by then. */
export async function withinTime<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

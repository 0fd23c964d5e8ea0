/** Tells the person at the terminal what a command waits for, once that takes longer than a second. */
import type { Output } from './output/output.ts';

const patience = 1000;
const rhythm = 500;

/**
 * Runs work, and from its second second on keeps a line about it on stderr, which goes when the work ends.
 * In scripts nothing is shown.
 * @param tell what is being done, e.g. `Applying 12,000 changes`
 */
export async function withProgress<T>(
  out: Output,
  tell: () => string,
  work: () => Promise<T>,
): Promise<T> {
  if (!out.live) return work();
  const begun = performance.now();
  const show = () => {
    const elapsed = performance.now() - begun;
    if (elapsed >= patience) out.status(`${tell()} ... ${Math.floor(elapsed / 1000)} s`);
  };
  const timer = setInterval(show, rhythm);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    out.status(null);
  }
}

/** `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Shows a person at the terminal what a command is waiting for, after one second. */
import type { Output } from './output/output.ts';

const patience = 1000;
const rhythm = 500;

/**
 * Runs work. After one second it shows a status line on stderr, which is removed when the work ends. Scripts get none.
 * @param describe describes the work, e.g. `Applying 12,000 changes`
 */
export async function withProgress<T>(
  out: Output,
  describe: () => string,
  work: () => Promise<T>,
): Promise<T> {
  if (!out.live) return work();
  const begun = performance.now();
  const show = () => {
    const elapsed = performance.now() - begun;
    if (elapsed >= patience) out.status(`${describe()} ... ${Math.floor(elapsed / 1000)} s`);
  };
  const timer = setInterval(show, rhythm);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    out.status(null);
  }
}

/** Formats a number as `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

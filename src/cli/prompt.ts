/** Asks before something that cannot be taken back. */
import { StageError } from '../errors.ts';
import type { Host } from './host.ts';
import type { Output } from './output.ts';

/**
 * Makes sure that there is somebody to ask.
 * @throws StageError `usage` in scripts, where --yes must be said instead
 */
export function demandTerminal(host: Host, out: Output): void {
  if (out.terminal && host.stdin.isTTY === true && !host.env['CI']) return;
  throw new StageError('usage', 'this needs a confirmation, and there is no terminal to ask at', {
    hint: 'Look at `stage diff` first, then repeat the command with --yes.',
  });
}

/** Gives whether the person at the terminal agrees; anything but yes means no. Ctrl-C aborts the interruption. */
export async function ask(
  host: Host,
  question: string,
  interruption: AbortController,
): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const asking = createInterface({ input: host.stdin, output: host.stderr });
  const ended = new AbortController();
  asking.once('SIGINT', () => {
    host.stderr.write('\n');
    interruption.abort();
  });
  asking.once('close', () => ended.abort());
  const signal = AbortSignal.any([interruption.signal, ended.signal]);
  try {
    const answer = await asking.question(`${question} [y/N] `, { signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (interruption.signal.aborted) throw error;
    return false;
  } finally {
    asking.close();
  }
}

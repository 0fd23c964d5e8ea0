/** Takes the terminal over for the interface, and restores it in any case. */
import type { TerminalOutput } from './painter.ts';

export interface TerminalInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

type Listening = {
  (signal: NodeJS.Signals, listener: () => void): unknown;
  (event: 'exit', listener: () => void): unknown;
  (event: 'uncaughtExceptionMonitor', listener: () => void): unknown;
};

/** The part of Node's `process` that the interface uses. */
export interface Surroundings {
  readonly pid: number;
  readonly on: Listening;
  readonly off: Listening;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

/** Enters the alternate screen without cursor and wrapping, and leaves it. */
const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J';
const leave = '\x1b[?2026l\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l';

/** How long to wait for a stop signal to take effect, in milliseconds, before the interface resumes. */
const patienceMs = 200;

const deadly = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export interface Terminal {
  /** Restores the terminal; a second call does nothing. */
  release(): void;
  /** Stops the process as Ctrl-Z does; `resumed` is called when it continues. */
  suspend(): void;
}

/**
 * Takes the terminal over. It is restored on release, on a signal that ends the process, and on a crash.
 * @param resumed called when the process continues after a stop and the screen is taken over again
 */
export function takeTerminal(
  input: TerminalInput,
  output: TerminalOutput,
  surroundings: Surroundings,
  resumed: () => void,
): Terminal {
  const state: { taken: boolean; unstopped?: NodeJS.Timeout } = { taken: false };
  const take = () => {
    state.taken = true;
    output.write(enter);
  };
  const giveBack = () => {
    if (!state.taken) return;
    state.taken = false;
    input.setRawMode?.(false);
    output.write(leave);
  };
  const resume = () => {
    clearTimeout(state.unstopped);
    surroundings.off('SIGTSTP', suspend);
    surroundings.on('SIGTSTP', suspend);
    input.setRawMode?.(true);
    take();
    resumed();
  };
  const suspend = () => {
    giveBack();
    // without the listener the signal stops the whole job, except where no shell could continue it
    surroundings.off('SIGTSTP', suspend);
    surroundings.kill(0, 'SIGTSTP');
    state.unstopped = setTimeout(resume, patienceMs);
  };
  // ends by the same signal, so that the parent sees the true reason
  const die = deadly.map((signal): [NodeJS.Signals, () => void] => [
    signal,
    () => {
      release();
      surroundings.kill(surroundings.pid, signal);
    },
  ]);
  const signals = [...die, ['SIGTSTP', suspend] as const, ['SIGCONT', resume] as const];
  const release = () => {
    clearTimeout(state.unstopped);
    for (const [signal, listener] of signals) surroundings.off(signal, listener);
    surroundings.off('uncaughtExceptionMonitor', giveBack);
    surroundings.off('exit', giveBack);
    giveBack();
  };
  for (const [signal, listener] of signals) surroundings.on(signal, listener);
  surroundings.on('uncaughtExceptionMonitor', giveBack);
  surroundings.on('exit', giveBack);
  take();
  return { release, suspend };
}

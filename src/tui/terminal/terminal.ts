/** The terminal while the interface has it: taken over on entering, and given back whatever happens. */
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

/** What is told of the process around the interface. Node's own `process` is one. */
export interface Surroundings {
  readonly pid: number;
  readonly on: Listening;
  readonly off: Listening;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

/** The alternate screen, no cursor, no wrapping at the edge; and back. */
const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J';
const leave = '\x1b[?2026l\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l';

/** How long a process that has been told to stop may go on until it is clear that it does not. */
const patienceMs = 200;

const deadly = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export interface Terminal {
  /** Gives the terminal back; a second call does nothing. */
  release(): void;
  /** Stops the process as Ctrl-Z does; `resumed` is called when it goes on. */
  suspend(): void;
}

/**
 * Takes the terminal over, and sees to it that it is given back: on release, on a signal that ends the process, on a crash.
 * @param resumed called after the process was stopped and goes on, and the screen is taken over again
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
    // without our listener the signal stops the whole job; but not where no shell could continue it
    surroundings.off('SIGTSTP', suspend);
    surroundings.kill(0, 'SIGTSTP');
    state.unstopped = setTimeout(resume, patienceMs);
  };
  // dies of the same signal, so that whoever waits for the process is told the truth
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

/** Asks the person at the terminal. */
import type { Interface } from 'node:readline';
import { StageError } from '../errors.ts';
import type { Host } from './host.ts';
import type { Output } from './output/output.ts';

/**
 * Requires a terminal to ask at.
 * @throws StageError `usage` in scripts, which need --yes
 */
export function demandTerminal(host: Host, out: Output): void {
  if (hasTerminal(host, out)) return;
  throw new StageError('usage', 'this needs a confirmation, and there is no terminal to ask at', {
    hint: 'Read `stage diff` first, then repeat the command with --yes.',
  });
}

/** Returns whether there is a person to ask. */
export function hasTerminal(host: Host, out: Output): boolean {
  return out.terminal && host.stdin.isTTY === true && !host.env['CI'];
}

/** Asks one question. @returns as `Questions.ask` */
export async function ask(
  host: Host,
  question: string,
  interruption: AbortController,
): Promise<string | null> {
  const questions = await openQuestions(host, interruption);
  try {
    return await questions.ask(question);
  } finally {
    questions.close();
  }
}

/** Opens the terminal for questions, which go to stderr. Ctrl-C aborts the interruption. */
export async function openQuestions(host: Host, interruption: AbortController): Promise<Questions> {
  const { createInterface } = await import('node:readline');
  const asking = createInterface({ input: host.stdin, output: host.stderr });
  asking.once('SIGINT', () => {
    host.stderr.write('\n');
    interruption.abort();
  });
  return new Questions(asking, interruption.signal);
}

type Answered = (line: string | null) => void;

/** Asks questions that are answered by a line each. Lines that were typed ahead answer the next questions. */
export class Questions {
  readonly #asking: Interface;
  readonly #signal: AbortSignal;
  readonly #lines: string[] = [];
  #ended = false;
  #answered: Answered | null = null;

  constructor(asking: Interface, signal: AbortSignal) {
    this.#asking = asking;
    this.#signal = signal;
    asking.on('line', (line) => {
      this.#lines.push(line);
      this.#answer();
    });
    asking.once('close', () => {
      this.#ended = true;
      this.#answer();
    });
    signal.addEventListener('abort', () => asking.close(), { once: true });
  }

  /**
   * Asks a question and returns the line that is typed; null at the end of the input.
   * @param question ends where the line begins
   * @throws the reason of the interruption
   */
  async ask(question: string): Promise<string | null> {
    if (!this.#ended) {
      this.#asking.setPrompt(question);
      this.#asking.prompt();
    }
    const line = await new Promise<string | null>((resolve) => {
      this.#answered = resolve;
      this.#answer();
    });
    this.#signal.throwIfAborted();
    return line === null ? null : line.trim();
  }

  close(): void {
    this.#asking.close();
  }

  #answer(): void {
    const answered = this.#answered;
    if (answered === null || (this.#lines.length === 0 && !this.#ended)) return;
    this.#answered = null;
    answered(this.#lines.shift() ?? null);
  }
}

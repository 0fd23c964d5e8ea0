/** A program in a real pseudo-terminal, created by script(1): sends keys, and detects the end of each frame in its output. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The end of each frame: the end of synchronised output. */
const frameEnd = '\x1b[?2026l';

export interface TerminalOptions {
  /** A directory for its files. */
  readonly directory: string;
  readonly columns: number;
  readonly rows: number;
  readonly env: Readonly<Record<string, string>>;
}

export class BenchTerminal {
  /** The number of bytes that the program has written. */
  bytes = 0;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #directory: string;
  readonly #waiting = new Set<(text: string) => void>();

  constructor(child: ChildProcessWithoutNullStreams, directory: string) {
    this.#child = child;
    this.#directory = directory;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.bytes += Buffer.byteLength(text);
      for (const look of this.#waiting) look(text);
    });
  }

  /** Returns when the condition holds for the text that has arrived since the call. */
  when(holds: (text: string) => boolean, patienceMs = 20_000): Promise<number> {
    let seen = '';
    return new Promise((resolve, reject) => {
      const look = (text: string) => {
        seen += text;
        if (!holds(seen)) return;
        settle();
        resolve(performance.now());
      };
      const late = () => {
        settle();
        reject(
          new Error(`nothing came that was waited for, but ${JSON.stringify(seen.slice(-500))}`),
        );
      };
      const timer = setTimeout(late, patienceMs);
      const settle = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
    });
  }

  /** Returns the time from a key's bytes to the end of a frame: of the first frame, or of the first with the given text. */
  async press(keys: string, text = ''): Promise<number> {
    const frame = this.when(
      (seen) => seen.includes(frameEnd, seen.indexOf(text)) && seen.includes(text),
    );
    const start = performance.now();
    this.#child.stdin.write(keys);
    return (await frame.catch(at(keys))) - start;
  }

  /** Returns the time from the call of stty(1) that changes the size to the end of a frame. */
  async resize(columns: number, rows: number): Promise<number> {
    const device = (await readFile(join(this.#directory, 'tty'), 'utf8')).trim();
    const frame = this.when((seen) => seen.includes(frameEnd));
    const start = performance.now();
    await run('stty', ['-F', device, 'cols', String(columns), 'rows', String(rows)]);
    return (await frame) - start;
  }

  /** Returns the id of the program's process. */
  async pid(): Promise<number> {
    return Number(await readFile(join(this.#directory, 'pid'), 'utf8'));
  }

  /** Leaves the program with `q`. If it stays, ends it as a closing terminal does. */
  async close(): Promise<void> {
    const ended = once(this.#child, 'exit');
    const timer = setTimeout(() => this.#child.kill(), 10_000);
    this.#child.stdin.write('q');
    await ended;
    clearTimeout(timer);
  }
}

const at = (keys: string) => (cause: Error) => {
  throw new Error(`after ${JSON.stringify(keys)}: ${cause.message}`, { cause });
};

/** Starts a program in a terminal. */
export async function openTerminal(
  command: readonly string[],
  { directory, columns, rows, env }: TerminalOptions,
): Promise<BenchTerminal> {
  const quoted = command.map((word) => `'${word}'`).join(' ');
  await writeFile(
    join(directory, 'start.sh'),
    `tty > ${directory}/tty\nstty cols ${columns} rows ${rows}\necho $$ > ${directory}/pid\nexec ${quoted}\n`,
  );
  const child = spawn('script', ['-qfec', `sh ${directory}/start.sh`, '/dev/null'], { env });
  return new BenchTerminal(child, directory);
}

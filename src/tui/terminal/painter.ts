/**
 * Puts frames on a terminal: line by line, each at its place, only those that have changed. Nothing scrolls and nothing
 * wraps, so a line that a terminal measures differently can spoil itself alone.
 */
import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import type { Size } from '../state/state.ts';

export interface TerminalOutput extends Writable {
  readonly columns?: number;
  readonly rows?: number;
}

/** Synchronised output: terminals that know it show a frame at once, others ignore it. */
const begin = '\x1b[?2026h';
const end = '\x1b[?2026l';

const clear = '\x1b[2J';

export class Painter {
  readonly #output: TerminalOutput;
  readonly #onFrame: (frame: string) => void;
  #shown: readonly string[] | null = null;
  #frame: readonly string[] = [];

  constructor(output: TerminalOutput, onFrame: (frame: string) => void = () => undefined) {
    this.#output = output;
    this.#onFrame = onFrame;
  }

  /** Shows a frame. */
  paint(lines: readonly string[]): void {
    const shown = this.#shown ?? [];
    const length = Math.max(lines.length, shown.length);
    const changes = this.#shown === null ? [clear] : [];
    for (let index = 0; index < length; index += 1) {
      const line = lines[index] ?? '';
      if (line !== (shown[index] ?? '')) changes.push(`\x1b[${index + 1};1H\x1b[2K${line}`);
    }
    this.#shown = lines;
    this.#frame = lines;
    if (changes.length > 0) this.#output.write(begin + changes.join('') + end);
    this.#onFrame(lines.join('\n'));
  }

  /** Forgets what is on the screen, which somebody else has written to: the next frame is painted as a whole. */
  forget(): void {
    this.#shown = null;
  }

  /** Shows the last frame anew. */
  repaint(): void {
    this.forget();
    this.paint(this.#frame);
  }
}

/** The stream to give to Ink: the size of the terminal, and nothing of what Ink writes. */
export function inkStream(output: TerminalOutput): NodeJS.WriteStream {
  const stream = Object.assign(new EventEmitter(), { write: () => true, isTTY: false });
  Object.defineProperty(stream, 'columns', { get: () => sizeOf(output).columns });
  Object.defineProperty(stream, 'rows', { get: () => sizeOf(output).rows });
  return stream as unknown as NodeJS.WriteStream;
}

/** The size of a terminal; that of the smallest one where it does not tell. */
export function sizeOf({ columns, rows }: TerminalOutput): Size {
  return { columns: columns || 80, rows: rows || 24 };
}

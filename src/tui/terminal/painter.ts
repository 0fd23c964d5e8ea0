/**
 * Writes frames to a terminal: only changed lines, each at its position. Nothing scrolls or wraps, so a line whose width a
 * terminal measures differently spoils only itself.
 */
import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import type { Size } from '../state/state.ts';

export interface TerminalOutput extends Writable {
  readonly columns?: number;
  readonly rows?: number;
}

/** Synchronized output: terminals that support it show a frame at once; others ignore it. */
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

  /** Forgets the contents of the screen after another program wrote to it. The next frame is painted completely. */
  forget(): void {
    this.#shown = null;
  }

  /** Shows the last frame again. */
  repaint(): void {
    this.forget();
    this.paint(this.#frame);
  }
}

/** Returns the stream for Ink: it has the size of the terminal, and discards what Ink writes. */
export function inkStream(output: TerminalOutput): NodeJS.WriteStream {
  const stream = Object.assign(new EventEmitter(), { write: () => true, isTTY: false });
  Object.defineProperty(stream, 'columns', { get: () => sizeOf(output).columns });
  Object.defineProperty(stream, 'rows', { get: () => sizeOf(output).rows });
  return stream as unknown as NodeJS.WriteStream;
}

/** Returns the size of a terminal; 80 by 24 if it is unknown. */
export function sizeOf({ columns, rows }: TerminalOutput): Size {
  return { columns: columns || 80, rows: rows || 24 };
}

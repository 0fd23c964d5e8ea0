/**
 * Puts Ink's frames on a terminal: line by line, each at its place, only those that have changed. Nothing scrolls and nothing
 * wraps, so a line that a terminal measures differently can spoil itself alone.
 */
import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import type { Size } from './state.ts';

export interface TerminalOutput extends Writable {
  readonly columns?: number;
  readonly rows?: number;
}

/** Synchronised output: terminals that know it show a frame at once, others ignore it. */
const begin = '\x1b[?2026h';
const end = '\x1b[?2026l';

export class Painter {
  readonly #output: TerminalOutput;
  readonly #onFrame: (frame: string) => void;
  #shown: readonly string[] = [];
  #frame = '';

  constructor(output: TerminalOutput, onFrame: (frame: string) => void = () => undefined) {
    this.#output = output;
    this.#onFrame = onFrame;
  }

  /** Shows a frame. */
  paint(frame: string): void {
    this.#frame = frame;
    const lines = frame.split('\n');
    const changed = lines.flatMap((line, index) =>
      line === this.#shown[index] ? [] : [`\x1b[${index + 1};1H\x1b[2K${line}`],
    );
    const surplus = this.#shown.slice(lines.length);
    changed.push(...surplus.map((_, index) => `\x1b[${lines.length + index + 1};1H\x1b[2K`));
    this.#shown = lines;
    if (changed.length > 0) this.#output.write(begin + changed.join('') + end);
    this.#onFrame(frame);
  }

  /** Forgets what is on the screen, which somebody else may have written to, and shows the last frame anew. */
  repaint(): void {
    this.#shown = [];
    this.#output.write('\x1b[2J');
    this.paint(this.#frame);
  }

  /** The stream to give to Ink in its debug mode, in which it writes whole frames and nothing else. */
  asStream(): NodeJS.WriteStream {
    const output = this.#output;
    const write = (text: string) => {
      if (text !== '') this.paint(text);
      return true;
    };
    const stream = Object.assign(new EventEmitter(), { write, isTTY: false });
    Object.defineProperty(stream, 'columns', { get: () => sizeOf(output).columns });
    Object.defineProperty(stream, 'rows', { get: () => sizeOf(output).rows });
    return stream as unknown as NodeJS.WriteStream;
  }
}

/** The size of a terminal; that of the smallest one where it does not tell. */
export function sizeOf({ columns, rows }: TerminalOutput): Size {
  return { columns: columns || 80, rows: rows || 24 };
}

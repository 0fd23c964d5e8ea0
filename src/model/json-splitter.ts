/** Splits JSON while it arrives. Numbers are not parsed, so none is rounded, and the document need not fit in memory. */
import { JsonText } from './json.ts';

/** A value that was not split further, with the keys and indexes that lead to it. */
export interface Piece {
  readonly path: readonly string[];
  readonly value: JsonText;
}

interface Container {
  readonly kind: 'object' | 'array';
  /** The current member's name; null until it was read. */
  key: string | null;
  index: number;
}

/** A value that is being collected and may span chunks. */
interface Capture {
  readonly kind: 'string' | 'container' | 'scalar';
  readonly parts: string[];
  depth: number;
  inString: boolean;
  escaped: boolean;
}

const scalarEnd = /[\s,:\]}]/;

/**
 * Splits one JSON document into pieces. `open` decides for each object or array, given its path, whether its members are returned one
 * by one. Every other value is returned whole, as the text that was received.
 */
export class JsonSplitter {
  readonly #open: (path: readonly string[]) => boolean;
  readonly #stack: Container[] = [];
  #capture: Capture | null = null;
  #pieces: Piece[] = [];
  #started = false;

  constructor(open: (path: readonly string[]) => boolean) {
    this.#open = open;
  }

  /** Parses the next chunk of the document and returns the pieces that are now complete. */
  push(chunk: string): readonly Piece[] {
    let position = 0;
    while (position < chunk.length) {
      position = this.#capture
        ? this.#collect(this.#capture, chunk, position)
        : this.#step(chunk, position);
    }
    return this.#taken();
  }

  /**
   * Marks the end of the document and returns the remaining pieces.
   * @throws SyntaxError when the document was truncated
   */
  end(): readonly Piece[] {
    if (this.#capture?.kind === 'scalar') this.#finish(this.#capture);
    if (this.#capture || this.#stack.length > 0 || !this.#started) {
      throw new SyntaxError('the JSON document ends before it is complete');
    }
    return this.#taken();
  }

  #taken(): readonly Piece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** Handles one character between values and returns the position to continue at. */
  #step(chunk: string, position: number): number {
    const character = chunk.charAt(position);
    const top = this.#stack.at(-1);
    switch (character) {
      case ' ':
      case '\n':
      case '\r':
      case '\t':
      case ':':
        return position + 1;
      case ',':
        if (top?.kind === 'object') top.key = null;
        else if (top) top.index += 1;
        return position + 1;
      case '}':
      case ']':
        this.#stack.pop();
        return position + 1;
      default:
        return this.#begin(character, position);
    }
  }

  #begin(character: string, position: number): number {
    this.#started = true;
    const container = character === '{' || character === '[';
    if (container && this.#open(this.#path())) {
      this.#stack.push({ kind: character === '{' ? 'object' : 'array', key: null, index: 0 });
      return position + 1;
    }
    const kind = container ? 'container' : character === '"' ? 'string' : 'scalar';
    this.#capture = { kind, parts: [], depth: 0, inString: false, escaped: false };
    return position;
  }

  /** Collects a value until it or the chunk ends, and returns the position to continue at. */
  #collect(capture: Capture, chunk: string, start: number): number {
    const end =
      capture.kind === 'scalar' ? scalarIn(chunk, start) : nestedIn(capture, chunk, start);
    capture.parts.push(chunk.slice(start, end ?? chunk.length));
    if (end !== null) this.#finish(capture);
    return end ?? chunk.length;
  }

  #finish(capture: Capture): void {
    const [only = '', ...more] = capture.parts;
    const text = more.length === 0 ? only : capture.parts.join('');
    const top = this.#stack.at(-1);
    this.#capture = null;
    if (top?.kind === 'object' && top.key === null) top.key = JSON.parse(text) as string;
    else this.#pieces.push({ path: this.#path(), value: new JsonText(text) });
  }

  #path(): string[] {
    return this.#stack.map((container) => container.key ?? String(container.index));
  }
}

/** Returns where the number or word that continues at `start` ends; null if the chunk ends first. */
function scalarIn(chunk: string, start: number): number | null {
  for (let position = start; position < chunk.length; position += 1) {
    if (scalarEnd.test(chunk.charAt(position))) return position;
  }
  return null;
}

/** Returns where the string, object or array that continues at `start` ends; null if the chunk ends first. */
function nestedIn(capture: Capture, chunk: string, start: number): number | null {
  let position = start;
  while (position < chunk.length) {
    position = capture.inString
      ? leaveString(capture, chunk, position)
      : changeDepth(capture, chunk, position);
    if (capture.depth === 0 && !capture.inString) return position;
  }
  return null;
}

/** Advances past the closing quote, or to the end of the chunk. */
function leaveString(capture: Capture, chunk: string, start: number): number {
  let from = capture.escaped ? start + 1 : start;
  for (;;) {
    const found = chunk.indexOf('"', from);
    const end = found < 0 ? chunk.length : found;
    const escapes = endsInEscape(chunk, from, end);
    if (found < 0) {
      capture.escaped = escapes;
      return end;
    }
    from = found + 1;
    if (escapes) continue;
    capture.inString = false;
    capture.escaped = false;
    return from;
  }
}

/** Returns whether the character at `end` is escaped: an odd number of backslashes precedes it. */
function endsInEscape(chunk: string, from: number, end: number): boolean {
  let first = end;
  while (first > from && chunk.charAt(first - 1) === '\\') first -= 1;
  return (end - first) % 2 === 1;
}

/** Advances past the quote that opens a string or the bracket that closes the value, or to the end of the chunk. */
function changeDepth(capture: Capture, chunk: string, start: number): number {
  for (let position = start; position < chunk.length; position += 1) {
    switch (chunk.charCodeAt(position)) {
      case 0x22: // "
        capture.inString = true;
        return position + 1;
      case 0x7b: // {
      case 0x5b: // [
        capture.depth += 1;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        capture.depth -= 1;
        if (capture.depth === 0) return position + 1;
        break;
    }
  }
  return chunk.length;
}

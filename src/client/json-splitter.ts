/** Takes JSON apart as it arrives without reading its numbers: nothing is rounded, and no document has to fit in memory. */
import { JsonText } from '../model/json.ts';

/** A value of the document that was not opened further, with the keys and indexes that lead to it. */
export interface Piece {
  readonly path: readonly string[];
  readonly value: JsonText;
}

interface Container {
  readonly kind: 'object' | 'array';
  /** The member's name; null while the next one is awaited. */
  key: string | null;
  index: number;
}

/** A value being collected, which may span chunks. */
interface Capture {
  readonly kind: 'string' | 'container' | 'scalar';
  readonly parts: string[];
  depth: number;
  inString: boolean;
  escaped: boolean;
}

const scalarEnd = /[\s,:\]}]/;

/**
 * Splits one JSON document into pieces. `open` decides for each object or array, given its path, whether
 * its members are wanted one by one; everything else comes out whole, as the text that was received.
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

  /** Takes the next part of the document and gives the pieces that are now complete. */
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
   * Says that the document is over and gives what is left.
   * @throws SyntaxError when the document was cut short
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

  /** Handles one character between values; gives the position to go on from. */
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

  /** Goes on with a value until it or the chunk ends. */
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

/** Where the number or word that goes on at `start` ends; null when the chunk ends first. */
function scalarIn(chunk: string, start: number): number | null {
  for (let position = start; position < chunk.length; position += 1) {
    if (scalarEnd.test(chunk.charAt(position))) return position;
  }
  return null;
}

/** Where the string, object or array that goes on at `start` ends; null when the chunk ends first. */
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

/** Goes on behind the closing quote, or to the end of the chunk. */
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

/** Whether what comes after `end` is escaped: an odd number of backslashes stands before it. */
function endsInEscape(chunk: string, from: number, end: number): boolean {
  let first = end;
  while (first > from && chunk.charAt(first - 1) === '\\') first -= 1;
  return (end - first) % 2 === 1;
}

/** Goes on behind the next quote or bracket, or to the end of the chunk. */
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

/** The only writer to the terminal: data on stdout, everything meant for a person on stderr. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { safeJson } from '../../client/sanitize.ts';
import { signsOf } from '../../client/signs.ts';
import type { Host } from '../host.ts';
import type { ColourMode, Paint } from './colour.ts';
import { createPaint, themeOf, wantsColour } from './colour.ts';
import type { TableColumn } from './table.ts';
import { createRowsWriter } from './table.ts';

export interface OutputOptions {
  readonly json: boolean;
  readonly colour: ColourMode;
  readonly quiet: boolean;
}

export class Output {
  /** Whether stdout gets one JSON document. */
  readonly json: boolean;
  /** Whether a person reads stdout. */
  readonly terminal: boolean;
  /** Whether a person reads stderr, and status lines can be replaced there. */
  readonly live: boolean;
  /** Colours text for stdout. */
  readonly paint: Paint;
  /** Colours text for stderr. */
  readonly paintNote: Paint;
  readonly #host: Host;
  readonly #quiet: boolean;
  #hasStatus = false;

  constructor(host: Host, options: OutputOptions) {
    this.#host = host;
    this.#quiet = options.quiet;
    this.json = options.json;
    this.terminal = host.stdout.isTTY === true && !options.json;
    const [theme, signs] = [themeOf(host.env), signsOf(host.env)];
    const paint = (isTerminal: boolean) =>
      createPaint(!options.json && wantsColour(options.colour, host.env, isTerminal), theme, signs);
    this.paint = paint(this.terminal);
    this.live = isLive(host, options);
    this.paintNote = paint(host.stderr.isTTY === true && !options.json);
  }

  /** Writes text to stdout unchanged, and waits while the reader is slow. */
  async write(text: string): Promise<void> {
    await writeTo(this.#host.stdout, text);
  }

  /** Writes a line of data to stdout. */
  async line(text: string): Promise<void> {
    await this.write(`${text}\n`);
  }

  async lines(lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.line(lines.join('\n'));
  }

  /** Writes a JSON document to stdout. */
  async document(json: string): Promise<void> {
    await this.line(safeJson(json));
  }

  /** Writes rows as a table or as tab-separated values. Cells are already sanitized. */
  async table(
    columns: readonly TableColumn[],
    rows: readonly (readonly string[])[],
  ): Promise<void> {
    const form = this.terminal ? 'table' : 'tsv';
    await this.write(createRowsWriter(form, columns, this.paint)(rows));
  }

  /** Writes names and values, one pair per line. Values are already sanitized. */
  async record(rows: readonly (readonly [name: string, value: string])[]): Promise<void> {
    const width = rows.reduce((most, [name]) => Math.max(most, name.length), 0);
    const line = (name: string, value: string) =>
      `${this.paint('faint', name.padEnd(width))}  ${value}`;
    const tabbed = (name: string, value: string) => `${name}\t${value}`;
    await this.lines(rows.map(([name, value]) => (this.terminal ? line : tabbed)(name, value)));
  }

  /** Writes a line that is not data to stderr, for a person at the terminal. Scripts do not get it, as their stderr is for errors. */
  async remark(text: string): Promise<void> {
    if (this.terminal && !this.#quiet) await writeTo(this.#host.stderr, `${text}\n`);
  }

  /** Writes what the data lacks to stderr, for scripts, too; --quiet silences it. */
  async advise(text: string): Promise<void> {
    if (!this.#quiet) await this.note(text);
  }

  /** Writes a line to stderr: an error, a warning, or information that was requested. */
  async note(text: string): Promise<void> {
    this.status(null);
    await writeTo(this.#host.stderr, `${text}\n`);
  }

  /** Replaces the status line on stderr; null removes it. Use it only if `live`. */
  status(text: string | null): void {
    if (text === null && !this.#hasStatus) return;
    this.#hasStatus = text !== null;
    this.#host.stderr.write(`\r\x1b[2K${text ?? ''}`);
  }
}

/** Returns whether stderr can have a status line, which would disturb a log or a screen reader. */
function isLive({ env, stderr }: Host, { json, quiet }: OutputOptions): boolean {
  const plain = env['CI'] || env['STAGE_ACCESSIBLE'] || env['TERM'] === 'dumb';
  return stderr.isTTY === true && !plain && !json && !quiet;
}

async function writeTo(stream: Writable, text: string): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (!stream.write(text)) await once(stream, 'drain');
}

/** The one place that writes to the terminal: data on stdout, everything meant for a person on stderr. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { safeJson } from '../../client/sanitize.ts';
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
  /** One JSON document is wanted on stdout. */
  readonly json: boolean;
  /** A person reads stdout. */
  readonly terminal: boolean;
  /** A person sees stderr, and lines there may come and go. */
  readonly live: boolean;
  /** Colours what goes to stdout. */
  readonly paint: Paint;
  /** Colours what goes to stderr. */
  readonly paintNote: Paint;
  readonly #host: Host;
  readonly #quiet: boolean;
  #hasStatus = false;

  constructor(host: Host, options: OutputOptions) {
    this.#host = host;
    this.#quiet = options.quiet;
    this.json = options.json;
    this.terminal = host.stdout.isTTY === true && !options.json;
    const theme = themeOf(host.env);
    const paint = (isTerminal: boolean) =>
      createPaint(!options.json && wantsColour(options.colour, host.env, isTerminal), theme);
    this.paint = paint(this.terminal);
    this.live = isLive(host, options);
    this.paintNote = paint(host.stderr.isTTY === true && !options.json);
  }

  /** Writes to stdout as it is, and waits while the reader is slow. */
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

  /** Writes rows the way the reader of stdout wants them. Cells are sanitised already. */
  async table(
    columns: readonly TableColumn[],
    rows: readonly (readonly string[])[],
  ): Promise<void> {
    const form = this.terminal ? 'table' : 'tsv';
    await this.write(createRowsWriter(form, columns, this.paint)(rows));
  }

  /** Writes names and values, one pair a line. Values are sanitised already. */
  async record(rows: readonly (readonly [name: string, value: string])[]): Promise<void> {
    const width = rows.reduce((most, [name]) => Math.max(most, name.length), 0);
    const line = (name: string, value: string) =>
      `${this.paint('faint', name.padEnd(width))}  ${value}`;
    const tabbed = (name: string, value: string) => `${name}\t${value}`;
    await this.lines(rows.map(([name, value]) => (this.terminal ? line : tabbed)(name, value)));
  }

  /** Tells the person at the terminal something that is not data; silent in scripts, where stderr is for what went wrong. */
  async remark(text: string): Promise<void> {
    if (this.terminal && !this.#quiet) await writeTo(this.#host.stderr, `${text}\n`);
  }

  /** Tells scripts, too, what their data does not say; --quiet silences it. */
  async advise(text: string): Promise<void> {
    if (!this.#quiet) await this.note(text);
  }

  /** Writes a line to stderr: what went wrong, or what a person asked to be told. */
  async note(text: string): Promise<void> {
    this.status(null);
    await writeTo(this.#host.stderr, `${text}\n`);
  }

  /** Puts a line on stderr in place of the one before; null takes it away. Only where `live`. */
  status(text: string | null): void {
    if (text === null && !this.#hasStatus) return;
    this.#hasStatus = text !== null;
    this.#host.stderr.write(`\r\x1b[2K${text ?? ''}`);
  }
}

/** Whether a line on stderr may come and go: there it disturbs neither a log nor a screen reader. */
function isLive({ env, stderr }: Host, { json, quiet }: OutputOptions): boolean {
  const plain = env['CI'] || env['STAGE_ACCESSIBLE'] || env['TERM'] === 'dumb';
  return stderr.isTTY === true && !plain && !json && !quiet;
}

async function writeTo(stream: Writable, text: string): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (!stream.write(text)) await once(stream, 'drain');
}

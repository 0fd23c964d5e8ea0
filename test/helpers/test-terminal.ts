/** A terminal that the test controls, with the review on it: frames, keys, and the end. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { ApiClient } from '../../src/client/api-client.ts';
import type { Left } from '../../src/tui/open-diff.tsx';
import { openDiff } from '../../src/tui/open-diff.tsx';
import type { TestDefiner } from './suite.ts';
import { assert } from './suite.ts';
import { until } from './until.ts';

export const leaveSequence = '\x1b[?7h\x1b[?25h\x1b[?1049l';

/** Removes colours, and nothing else. */
const uncoloured = (text: string) =>
  text
    .split('\x1b')
    .map((part, index) => (index === 0 ? part : part.replace(/^\[[\d;]*m/, '')))
    .join('');

/** A terminal with a reviewer. */
export class TestTerminal {
  readonly stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    raw: false,
    setRawMode: (raw: boolean) => {
      this.stdin.raw = raw;
    },
    ref: () => undefined,
    unref: () => undefined,
  });
  readonly stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 120, rows: 24 });
  readonly signals = new EventEmitter();
  readonly killed: string[] = [];
  readonly api: ApiClient;
  readonly ended: Promise<Left | Error>;
  readonly abort = new AbortController();
  frame = '';
  /** The frame with its colours. */
  coloured = '';
  written = '';

  constructor(server: string, session: string, colours = true, token: string | null = null) {
    this.stdout.on('data', (part: Buffer) => {
      this.written += part.toString();
    });
    this.api = new ApiClient({ server, token });
    this.ended = openDiff({
      api: this.api,
      session,
      approver: 'ada',
      colours,
      stdin: this.stdin as never,
      stdout: this.stdout,
      process: {
        pid: 1,
        on: (event: string, listener: () => void) => this.signals.on(event, listener),
        off: (event: string, listener: () => void) => this.signals.off(event, listener),
        kill: (_, signal) => this.killed.push(signal),
      },
      signal: this.abort.signal,
      onFrame: (frame) => {
        this.coloured = frame;
        this.frame = uncoloured(frame);
      },
    }).catch((error: Error) => error);
  }

  async press(key: string): Promise<void> {
    this.stdin.write(key);
    // A lone Escape is recognized when no further byte of a sequence follows in time.
    await new Promise((resolve) => setTimeout(resolve, 30));
  }

  resize(columns: number, rows: number): void {
    Object.assign(this.stdout, { columns, rows });
    this.stdout.emit('resize');
  }

  async see(pattern: RegExp): Promise<void> {
    const late = AbortSignal.timeout(60_000);
    await until(() => pattern.test(this.frame) || late.aborted);
    assert.ok(pattern.test(this.frame), `${pattern} is not in\n${this.frame}`);
  }

  async leave(): Promise<void> {
    this.abort.abort();
    await this.ended;
    await this.api.close();
  }
}

/** Returns a function that opens terminals, with the parameters of their constructor. Each is left when its test ends. */
export function terminalsOf(
  test: TestDefiner,
): (...parameters: ConstructorParameters<typeof TestTerminal>) => TestTerminal {
  const terminals: TestTerminal[] = [];
  test.afterEach(async () => {
    for (const terminal of terminals.splice(0)) await terminal.leave();
  });
  return (...parameters) => {
    const terminal = new TestTerminal(...parameters);
    terminals.push(terminal);
    return terminal;
  };
}

/**
 * A headless browser, controlled by its own protocol over a pipe, without a package.
 * https://chromedevtools.github.io/devtools-protocol/
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { MissingProgram } from './suite.ts';

// biome-ignore lint/suspicious/noExplicitAny: messages of the browser are looked into at will
type Message = any;

/** A tab of the browser. */
export interface Tab {
  /** Runs a script in each page before the page's own scripts. */
  prepare(script: string): Promise<void>;
  /** Loads an address, and waits until it is loaded. */
  goTo(url: string): Promise<void>;
  /** Evaluates an expression in the page and returns its value; awaits a promise. */
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until an expression is true in the page. */
  sees(expression: string): Promise<void>;
  /** Clicks the first element of the selector that contains the text. */
  click(selector: string, text?: string): Promise<void>;
  /** Presses a key with a real key event. */
  press(key: string): Promise<void>;
  /** Types a text into the focused element. */
  type(text: string): Promise<void>;
  /** Sets the size of the page. One to `print` has no scroll bars, and more pixels. */
  look(view: { width: number; height: number; dark?: boolean; print?: boolean }): Promise<void>;
  /** Returns a screenshot, as PNG or, much smaller, as WebP. */
  picture(format?: 'png' | 'webp'): Promise<Buffer>;
  /** Errors on the console, scripts that failed, and breaches of the page's policy. */
  readonly faults: string[];
}

export interface Browser {
  /** Opens a tab with separate cookies. */
  open(): Promise<Tab>;
  stop(): Promise<void>;
}

const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The longest wait for anything. */
const mostWaitMs = 30_000;

/**
 * Starts the browser.
 * @throws MissingProgram if this machine has no browser
 */
export async function startBrowser(): Promise<Browser> {
  const program = candidates.find((path) => existsSync(path));
  if (program === undefined) throw new MissingProgram('chromium');
  const profile = mkdtempSync(join(tmpdir(), 'stage-browser-'));
  const flags = ['--headless=new', '--remote-debugging-pipe', '--no-sandbox', '--disable-gpu'];
  const quiet = ['--no-first-run', '--disable-background-networking', '--disable-extensions'];
  const child = spawn(program, [...flags, ...quiet, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const connection = new Connection(child);
  return {
    open: () => openTab(connection),
    stop: async () => {
      await connection.send('Browser.close').catch(() => undefined);
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

class Connection {
  readonly #out: Writable;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly listeners = new Set<(message: Message) => void>();
  #last = 0;

  constructor({ stdio }: ChildProcess) {
    this.#out = stdio[3] as Writable;
    let text = '';
    (stdio[4] as Readable).setEncoding('utf8').on('data', (part: string) => {
      const messages = (text + part).split('\0');
      text = messages.pop() ?? '';
      for (const message of messages) this.#take(JSON.parse(message));
    });
    this.#out.on('error', () => undefined);
  }

  #take(message: Message): void {
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
    if (message.method) for (const listener of this.listeners) listener(message);
  }

  async send(method: string, params: object = {}, sessionId?: string): Promise<Message> {
    this.#last += 1;
    const id = this.#last;
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#out.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { result, error } = await answer;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }
}

async function openTab(connection: Connection): Promise<Tab> {
  const { browserContextId } = await connection.send('Target.createBrowserContext');
  const { targetId } = await connection.send('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
  });
  const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
  const send = (method: string, params: object = {}) => connection.send(method, params, sessionId);
  const faults: string[] = [];
  connection.listeners.add((message) => {
    if (message.sessionId !== sessionId) return;
    const fault = faultIn(message);
    if (fault !== null) faults.push(fault);
  });
  for (const part of ['Page', 'Runtime', 'Log', 'Audits']) await send(`${part}.enable`);
  const evaluate = async <T>(expression: string): Promise<T> => {
    const how = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
    const { result, exceptionDetails: failed } = await send('Runtime.evaluate', how);
    if (failed) throw new Error(failed.exception?.description ?? failed.text);
    return result.value;
  };
  const sees = async (expression: string) => {
    const end = Date.now() + mostWaitMs;
    while (!(await evaluate(`Boolean(${expression})`).catch(() => false))) {
      if (Date.now() > end) {
        const text = await evaluate('document.body.innerText');
        throw new Error(`never true: ${expression}\nfaults: ${faults.join('\n')}\npage: ${text}`);
      }
      await delay(50);
    }
  };
  return {
    evaluate,
    sees,
    faults,
    prepare: async (source) => {
      await send('Page.addScriptToEvaluateOnNewDocument', { source });
    },
    goTo: async (url) => {
      await send('Page.navigate', { url });
      await sees("document.readyState === 'complete' && location.href !== 'about:blank'");
    },
    click: async (selector, text = '') => {
      const found = `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => !each.disabled && each.textContent.includes(${JSON.stringify(text)}))`;
      await sees(found);
      await evaluate(`${found}.click()`);
    },
    press: async (key) => {
      const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
      await send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', key, text });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', key });
    },
    type: async (text) => {
      await send('Input.insertText', { text });
    },
    look: async ({ width, height, dark = false, print = false }) => {
      const mobile = width < 500;
      await send('Emulation.setDeviceMetricsOverride', {
        width,
        height,
        mobile,
        deviceScaleFactor: print ? 1.5 : 1,
      });
      await send('Emulation.setScrollbarsHidden', { hidden: print });
      const features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }];
      await send('Emulation.setEmulatedMedia', { features });
    },
    picture: async (format = 'png') => {
      const how = format === 'webp' ? { format, quality: 65 } : { format };
      const { data } = await send('Page.captureScreenshot', how);
      return Buffer.from(data, 'base64');
    },
  };
}

/** Returns the error in a message. A refusing HTTP response is not the page's error. */
function faultIn({ method, params }: Message): string | null {
  if (method === 'Runtime.exceptionThrown') return JSON.stringify(params.exceptionDetails);
  if (method === 'Runtime.consoleAPICalled' && params.type === 'error')
    return JSON.stringify(params.args);
  if (method === 'Log.entryAdded' && params.entry.level === 'error')
    return params.entry.source === 'network'
      ? null
      : `${params.entry.source}: ${params.entry.text}`;
  if (method === 'Audits.issueAdded' && params.issue.code === 'ContentSecurityPolicyIssue')
    return JSON.stringify(params.issue.details);
  return null;
}

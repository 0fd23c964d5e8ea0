/** A server, a daemon that serves the review page, and measurements, for all parts of `bench:seat`. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Browser, Tab } from '../../test/helpers/browser.ts';
import type { Daemon } from '../daemon.ts';
import { median as medianOf } from '../pgbench.ts';

export interface Scene {
  /** URL of production. */
  readonly server: string;
  readonly daemon: Daemon;
  readonly browser: Browser;
}

/** Returns a number from the environment. */
export const count = (name: string, usual: number) => Number(process.env[name] ?? usual);

const mostWaitMs = 600_000;

export function print(label: string, value: string): void {
  process.stdout.write(`| ${label} | ${value} |\n`);
}

/** Returns the time since a moment. */
export const since = (start: number) => `${(performance.now() - start).toFixed(0)} ms`;

export async function query(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query(text).finally(() => client.end());
}

/** Sends a request, again while the daemon has lost its database: a busy machine does not answer in time. */
export async function ask({ daemon }: Scene, method: string, path: string): Promise<string> {
  for (const end = performance.now() + mostWaitMs; ; await sleep(1000)) {
    const response = await fetch(daemon.rest + path, { method });
    const text = await response.text();
    if (response.ok) return text;
    const mayPass = response.status === 503 && performance.now() < end;
    if (!mayPass) throw new Error(`${method} ${path}: ${text}`);
  }
}

/** Returns the least milliseconds of several runs. */
export async function least(work: () => Promise<unknown>, runs = 5): Promise<string> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    await work();
    best = Math.min(best, performance.now() - start);
  }
  return `${best.toFixed(0)} ms`;
}

/** Returns the median milliseconds of several runs. */
export async function median(work: () => Promise<unknown>, runs: number): Promise<string> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return `${medianOf(times).toFixed(0)} ms`;
}

/** Returns the daemon's memory, now and at most. */
export async function memory({ daemon }: Scene): Promise<string> {
  const status = await readFile(`/proc/${daemon.pid}/status`, 'utf8');
  const of = (name: string) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return `${of('VmRSS')} MB, ${of('VmHWM')} MB at most`;
}

/** Waits until an expression is true in the page. Returns the milliseconds since `start`. */
export async function until(tab: Tab, expression: string, start: number): Promise<string> {
  while (!(await tab.evaluate<boolean>(`Boolean(${expression})`))) {
    if (performance.now() - start > mostWaitMs) throw new Error(`never true: ${expression}`);
    await sleep(10);
  }
  return since(start);
}

/** Opens the dialog of Approve, as soon as it is enabled, and types what it asks for. */
export async function approving(tab: Tab, id: string): Promise<void> {
  const button = "document.querySelector('[data-action=approve]')";
  await until(tab, `${button}?.disabled === false`, performance.now());
  await tab.evaluate(`${button}.click()`);
  await tab.evaluate("document.querySelector('dialog input[name=typed]').focus()");
  await tab.type(id.slice(5, 9));
  await until(
    tab,
    "document.querySelector('dialog button.main')?.disabled === false",
    performance.now(),
  );
}

export async function sizes(tab: Tab): Promise<string> {
  const heap = await tab.evaluate<number>('performance.memory.usedJSHeapSize');
  const nodes = await tab.evaluate<number>("document.querySelectorAll('*').length");
  return `${Math.round(heap / 1024 / 1024)} MB heap, ${nodes} elements`;
}

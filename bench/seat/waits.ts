import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sessionOf } from '../daemon.ts';
import type { Scene } from './scene.ts';
import { ask, count, memory, print, query, since } from './scene.ts';

/** Clients that wait: half of them at a stream, a quarter each for the events of all sessions and of one. */
const clients = count('BENCH_WAITING', 2_000);
const seconds = 10;
const mostRounds = 100;

interface Client {
  /** Resolves when it hears an event. */
  readonly heard: Promise<void>;
}

/** Lets one client wait. */
function wait(rest: string, id: string, after: string, index: number, signal: AbortSignal): Client {
  if (index % 2 === 0) return { heard: stream(rest, after, signal) };
  const path = index % 4 === 1 ? '/events' : `/sessions/${id}/events`;
  return { heard: poll(`${rest}${path}?wait=50&after=${after}`, signal) };
}

async function poll(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const answer = await fetch(url, { signal });
      const { events = [] } = await answer.json();
      if (events.length > 0) return;
      if (!answer.ok) await sleep(1000);
    } catch {
      await sleep(1000);
    }
  }
}

async function stream(rest: string, after: string, signal: AbortSignal): Promise<void> {
  const headers = { accept: 'text/event-stream', 'last-event-id': after };
  // a stream that ends is opened again, as browsers do
  while (!signal.aborted) {
    try {
      const { body } = await fetch(`${rest}/events`, { headers, signal });
      for await (const part of body ?? []) if (Buffer.from(part).includes('data: ')) return;
    } catch {
      await sleep(1000);
    }
  }
}

/** Returns the statements since the last reset, with those that read events. */
async function statements(server: string): Promise<{ all: number; ofEvents: number }> {
  const { rows } = await query(
    server,
    `SELECT sum(calls) AS all, sum(calls) FILTER (WHERE query ~ 'stage\\.event') AS of_events FROM pg_stat_statements
     WHERE query !~ 'pg_stat_statements'`,
  );
  return { all: Number(rows[0].all), ofEvents: Number(rows[0].of_events) };
}

/**
 * Waits until nearly every request waits: each reads at its beginning, and a long poll begins again every 50 s. A busy daemon may take no
 * request for a while, so one quiet moment proves nothing.
 */
async function settle(server: string): Promise<void> {
  let quiet = 0;
  for (let round = 0; round < mostRounds && quiet < 3; round += 1) {
    await reset(server);
    await sleep(3000);
    quiet = (await statements(server)).ofEvents <= clients / 10 ? quiet + 1 : 0;
  }
}

const reset = (server: string) => query(server, 'SELECT pg_stat_statements_reset()');

/** Measures the cost to the database of clients that wait, and of an event for which they wait. */
export async function waits(scene: Scene): Promise<void> {
  const { server, daemon } = scene;
  await query(server, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  const id = sessionOf(await daemon.newSession('production'));
  const { last } = JSON.parse(await ask(scene, 'GET', '/events?after=999999999999&limit=1'));
  print('memory of the daemon before', await memory(scene));
  await reset(server);
  await sleep(seconds * 1000);
  print(`statements in ${seconds} s, nobody waits`, show(await statements(server)));
  const leaving = new AbortController();
  setMaxListeners(0, leaving.signal);
  const all = Array.from({ length: clients }, (_, index) =>
    wait(daemon.rest, id, last, index, leaving.signal),
  );
  for (const { heard } of all) heard.catch(() => undefined);
  await settle(server);
  await reset(server);
  await sleep(seconds * 1000);
  print(`statements in ${seconds} s, ${clients} clients wait`, show(await statements(server)));
  print('memory of the daemon', await memory(scene));
  await reset(server);
  const said = performance.now();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ body: 'news' });
  const comment = () =>
    fetch(`${daemon.rest}/sessions/${id}/comments`, { method: 'POST', headers, body });
  // a busy machine does not answer in time
  while (!(await comment()).ok) await sleep(1000);
  await Promise.all(all.map(({ heard }) => heard));
  print(
    'all have heard of a comment',
    `${since(said)}; statements ${show(await statements(server))}`,
  );
  leaving.abort();
  print('memory of the daemon', await memory(scene));
  await ask(scene, 'DELETE', `/sessions/${id}`);
}

const show = ({ all, ofEvents }: { readonly all: number; readonly ofEvents: number }) =>
  `${all}, of which ${ofEvents} of events`;

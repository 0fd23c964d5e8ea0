/**
 * The review page and the lists beside many changes and many sessions: `npm run bench:seat -- [rows] [sessions]`, which builds first.
 * Needs Chromium. BENCH_ROWS (1000000) is the number of changes of one session, BENCH_SESSIONS (10000) that of sessions, of which 100 have
 * BENCH_EACH (10000) staged rows and a card. The times are the client's, in milliseconds.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { startEmbedded } from '../src/daemon/embedded/embedded.ts';
import { createLog } from '../src/log.ts';
import { anyCluster } from '../test/helpers/any-cluster.ts';
import type { Tab } from '../test/helpers/browser.ts';
import { startBrowser } from '../test/helpers/browser.ts';
import { sessionOf, startBuiltDaemon } from './daemon.ts';

const count = (name: string, usual: number) => Number(process.env[name] ?? usual);
const rows = count('BENCH_ROWS', 1_000_000);
const sessions = count('BENCH_SESSIONS', 10_000);
const each = count('BENCH_EACH', 10_000);
const withCards = 100;
const mostWaitMs = 600_000;
const run = promisify(execFile);
const large = { maxBuffer: 64 * 1024 * 1024 };

const directory = await mkdtemp(join(tmpdir(), 'stage-seat-'));
const server = await startEmbedded({
  clusters: anyCluster,
  directory,
  log: createLog('silent', process.stderr),
  settings: { fsync: 'off', max_wal_size: '4GB' },
});
const daemon = await startBuiltDaemon(server.url, directory, '.', ['--web', 'on']);
const browser = await startBrowser();
const parts = { rows: manyRows, sessions: manySessions };
const chosen = process.argv.slice(2);
try {
  for (const [name, work] of Object.entries(parts))
    if (chosen.length === 0 || chosen.includes(name)) await work();
  print(
    'load of the machine',
    loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
  );
} finally {
  await browser.stop();
  await daemon.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

function print(label: string, value: string): void {
  process.stdout.write(`| ${label} | ${value} |\n`);
}

async function query(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query(text).finally(() => client.end());
}

/** Sends a request, again while the daemon has lost its database: a busy machine does not answer in time. */
async function ask(method: string, path: string): Promise<string> {
  for (const end = performance.now() + mostWaitMs; ; await sleep(1000)) {
    const response = await fetch(daemon.rest + path, { method });
    const text = await response.text();
    if (response.ok) return text;
    const mayPass = response.status === 503 && performance.now() < end;
    if (!mayPass) throw new Error(`${method} ${path}: ${text}`);
  }
}

/** Returns the least milliseconds of several runs. */
async function least(work: () => Promise<unknown>, runs = 5): Promise<string> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    await work();
    best = Math.min(best, performance.now() - start);
  }
  return `${best.toFixed(0)} ms`;
}

/** Returns the daemon's memory, now and at most. */
async function memory(): Promise<string> {
  const status = await readFile(`/proc/${daemon.pid}/status`, 'utf8');
  const of = (name: string) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return `${of('VmRSS')} MB, ${of('VmHWM')} MB at most`;
}

/** Waits until an expression is true in the page. Returns the milliseconds since `start`. */
async function until(tab: Tab, expression: string, start: number): Promise<string> {
  while (!(await tab.evaluate<boolean>(`Boolean(${expression})`))) {
    if (performance.now() - start > mostWaitMs) throw new Error(`never true: ${expression}`);
    await sleep(10);
  }
  return `${(performance.now() - start).toFixed(0)} ms`;
}

async function sizes(tab: Tab): Promise<string> {
  const heap = await tab.evaluate<number>('performance.memory.usedJSHeapSize');
  const nodes = await tab.evaluate<number>("document.querySelectorAll('*').length");
  return `${Math.round(heap / 1024 / 1024)} MB heap, ${nodes} elements`;
}

/** The page of one session with `BENCH_ROWS` changes, as soon as it is proposed. */
async function manyRows(): Promise<void> {
  await query(
    server.url,
    `CREATE TABLE large (id int PRIMARY KEY, price numeric(12,2), v text);
     INSERT INTO large SELECT g, g % 997, 'value ' || g FROM generate_series(1, ${rows}) g; ANALYZE large`,
  );
  const url = await daemon.newSession('production');
  const id = sessionOf(url);
  await query(url, 'UPDATE large SET price = price * 1.1 + 1');
  print('memory of the daemon before', await memory());
  await ask('POST', `/sessions/${id}/propose`);
  const proposed = performance.now();
  const tab = await browser.open();
  const start = performance.now();
  await tab.goTo(`${daemon.rest}/review/${id}`);
  print(
    'head of the session after the start',
    await until(tab, "document.querySelector('.status')", start),
  );
  print(
    'first rows after the start',
    await until(tab, "document.querySelector('.rows .line')", start),
  );
  print('outline', await until(tab, "document.querySelector('.tables .counts')", start));
  print('brief', await until(tab, "document.querySelector('.brief li')", start));
  print(
    'Approve is enabled',
    await until(tab, "document.querySelector('[data-action=approve]')?.disabled === false", start),
  );
  print('in the browser', await sizes(tab));
  const card = async () => JSON.parse(await ask('GET', `/sessions?limit=1&card=true`));
  while ((await card()).sessions[0].card?.digest == null) await sleep(200);
  print(
    'card and digest are stored after the proposal',
    `${(performance.now() - proposed).toFixed(0)} ms`,
  );
  const again = performance.now();
  await tab.goTo(`${daemon.rest}/review/${id}?again`);
  print(
    'with the card: first rows',
    await until(tab, "document.querySelector('.rows .line')", again),
  );
  print('with the card: brief', await until(tab, "document.querySelector('.brief li')", again));
  print(
    'with the card: Approve is enabled',
    await until(tab, "document.querySelector('[data-action=approve]')?.disabled === false", again),
  );
  const end = performance.now();
  await tab.evaluate(
    "[...document.querySelectorAll('.pager button')].find((b) => b.innerText === 'Last').click()",
  );
  const last = rows.toLocaleString('en-US');
  print(
    'end of the list',
    await until(tab, `document.querySelector('.pager').innerText.includes('–${last} of')`, end),
  );
  print('in the browser at the end', await sizes(tab));
  print('memory of the daemon', await memory());
  await ask('POST', `/sessions/${id}/reject`);
}

/** Reads a list to its end. Returns the paths of its pages. */
async function cursorsOf(path: string): Promise<string[]> {
  const paths = [path];
  for (;;) {
    const { next_cursor: next } = JSON.parse(await ask('GET', paths.at(-1) ?? path));
    if (next === null) return paths;
    paths.push(`${path}&cursor=${next}`);
  }
}

/** Lists of `BENCH_SESSIONS` proposed sessions, most of them empty. */
async function manySessions(): Promise<void> {
  await query(
    server.url,
    `CREATE TABLE common (id int PRIMARY KEY, price numeric(12,2), v text);
     INSERT INTO common SELECT g, g % 97, 'v' FROM generate_series(1, ${each}) g; ANALYZE common`,
  );
  for (let n = 0; n < withCards; n += 1) {
    const url = await daemon.newSession('production');
    await query(url, `UPDATE common SET price = price * 1.1, v = 'n${n}'`);
    await ask('POST', `/sessions/${sessionOf(url)}/propose`);
  }
  const last = async () =>
    JSON.parse(await ask('GET', '/sessions?limit=100&status=proposed&card=true'));
  const start = performance.now();
  const missing = ({ sessions: all }: { sessions: { card: { digest: string } | null }[] }) =>
    all.some(({ card }) => card === null || card.digest === null);
  while (missing(await last())) await sleep(500);
  print(
    `${withCards} cards of ${each} changes each, after the last proposal`,
    `${(performance.now() - start).toFixed(0)} ms`,
  );
  print(
    `list of ${withCards} sessions`,
    await least(() => ask('GET', '/sessions?limit=100&status=proposed')),
  );
  print(
    'list of them with cards',
    await least(() => ask('GET', '/sessions?limit=100&status=proposed&card=true')),
  );
  await query(
    server.url,
    `INSERT INTO stage.session (id, project_id, metadata, reads, conflict_scope, status, proposed_at, sealed, mutation_count, round, created_at)
     SELECT md5(g::text)::uuid, 'default', '{"title": "many"}', 'production', 'row', 'proposed', now(), 1, 0, 1, now() - g * interval '1 s'
     FROM generate_series(1, ${sessions}) g;
     SELECT stage.emit(s.id, s.project_id, 'proposed', NULL, '{}') FROM stage.session s WHERE s.metadata ->> 'title' = 'many'; ANALYZE`,
  );
  const all = '/sessions?limit=100&status=proposed&card=true';
  print(`${sessions} sessions: first page`, await least(() => ask('GET', all)));
  const pages = await cursorsOf(all);
  print(`last of ${pages.length} pages`, await least(() => ask('GET', pages.at(-1) ?? all)));
  print('the same by offset', await least(() => ask('GET', `${all}&offset=${sessions}`)));
  print('all pages', await least(() => cursorsOf(all), 1));
  const list = ['bin/stage.js', 'session', 'list', '--all', '-o', 'tsv', '--server', daemon.rest];
  print('stage session list --all', await least(() => run(process.execPath, list, large)));
  print('search', await least(() => ask('GET', '/sessions?limit=100&search=nothing')));
  print('1,000 events', await least(() => ask('GET', '/events?limit=1000')));
  const tab = await browser.open();
  const shown = performance.now();
  await tab.goTo(`${daemon.rest}/review`);
  print('inbox', await until(tab, "document.querySelectorAll('.sessions li').length >= 50", shown));
  print('in the browser', await sizes(tab));
  const news = performance.now();
  const url = await daemon.newSession('production');
  await query(url, `UPDATE common SET v = 'news' WHERE id = 1`);
  const proposing = performance.now();
  await ask('POST', `/sessions/${sessionOf(url)}/propose`);
  const short = sessionOf(url).slice(5, 13);
  await until(tab, `document.querySelector('.sessions').innerText.includes('${short}')`, news);
  print("from propose to the inbox's news", `${(performance.now() - proposing).toFixed(0)} ms`);
  print('memory of the daemon', await memory());
}

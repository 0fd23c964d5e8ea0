/**
 * How long others wait for a client that sends the most expensive texts for the parser: `npm run bench:gate`. A client sends `SELECT 1`
 * beside a process that sends the same text repeatedly, and alone before and after that. Also measures the daemon's processor time for one
 * such text, and the cost estimate of a text that is parsed. BENCH_UPSTREAM is the URL of a server; by default an embedded one is started.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../src/daemon/embedded/embedded.ts';
import { createLog } from '../src/log.ts';
import { isLight } from '../src/sql/parser/text-weight.ts';
import { anyCluster } from '../test/helpers/any-cluster.ts';
import { compiled } from '../test/helpers/compiled.ts';
import { startBuiltDaemon } from './daemon.ts';
import { median } from './pgbench.ts';
import { processorTime } from './processor-time.ts';
import { worstTexts } from './worst-texts.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
/** The pause between two queries, in milliseconds, so that the sender is what keeps the daemon busy. */
const pauseMs = 5;

const print = (line: string) => process.stdout.write(`${line}\n`);

async function ask(client: pg.Client): Promise<number[]> {
  const waits: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const start = performance.now();
    await client.query('SELECT 1');
    waits.push(performance.now() - start);
    await delay(pauseMs);
  }
  return waits;
}

async function startSender(url: string, name: string): Promise<ChildProcess> {
  const program = compiled('bench/worst-texts.ts');
  const sender = spawn(process.execPath, [program, url, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(sender.stdout, 'data');
  return sender;
}

const shown = (waits: readonly number[]) =>
  `${median(waits).toFixed(1)} | ${Math.max(...waits).toFixed(0)}`;

/** Returns the milliseconds of processor time that the daemon takes for one text. */
async function timeOf(client: pg.Client, pid: number, name: string): Promise<string> {
  const text = worstTexts[name]?.() ?? '';
  const times = 3;
  const before = await processorTime(pid);
  for (let time = 0; time < times; time += 1) await client.query(text).catch(() => undefined);
  return (((await processorTime(pid)) - before) / 1e6 / times).toFixed(0);
}

async function bench(pid: number, newSession: () => Promise<string>): Promise<void> {
  print(
    '| sent beside it | median ms | longest ms | alone: median ms | longest ms | ratio of medians | daemon: processor ms for one |',
  );
  print(`|${'---|'.repeat(7)}`);
  const client = new pg.Client({ connectionString: await newSession() });
  await client.connect();
  await ask(client);
  for (const name of Object.keys(worstTexts)) {
    const before = await ask(client);
    const sender = await startSender(await newSession(), name);
    const beside = await ask(client);
    sender.kill();
    await once(sender, 'exit');
    const alone = [...before, ...(await ask(client))];
    const ratio = (median(beside) / median(alone)).toFixed(1);
    const taken = await timeOf(client, pid, name);
    print(`| ${name} | ${shown(beside)} | ${shown(alone)} | ${ratio} | ${taken} |`);
  }
  await client.end();
}

/** Returns the microseconds of this thread for a typical text of the given length in bytes. */
function priceOf(length: number): string {
  const column = 'coalesce(item.name, $1) || item.note AS label, ';
  const text = Buffer.from(
    `SELECT ${column.repeat(Math.ceil(length / column.length))}`.slice(0, length),
  );
  const times = Math.ceil(2e6 / length);
  const rounds = Array.from({ length: 9 }, () => {
    const start = process.cpuUsage();
    for (let time = 0; time < times; time += 1) isLight(text);
    return process.cpuUsage(start).user / times;
  });
  return `| ${length} | ${median(rounds).toFixed(2)} |`;
}

print('| bytes of a text that is not known | weighing it, us |\n|---|---|');
for (const length of [100, 400, 1000, 4000, 16_000]) print(priceOf(length));

const home = await mkdtemp(join(tmpdir(), 'stage-bench-'));
const log = createLog('silent', process.stderr);
const given = process.env['BENCH_UPSTREAM'];
const directory = await mkdtemp(join(tmpdir(), 'stage-bench-server-'));
const server = given ? null : await startEmbedded({ clusters: anyCluster, directory, log });
const daemon = await startBuiltDaemon(given ?? server?.url ?? '', home);
try {
  await bench(daemon.pid, () => daemon.newSession('production'));
} finally {
  await daemon.stop();
  await server?.stop();
  for (const each of [home, directory]) await rm(each, { recursive: true });
}

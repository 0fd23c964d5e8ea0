/**
 * Throughput through the proxy against the same server directly, by pgbench: `npm run bench`. Targets take turns, round by
 * round, and the medians are compared, so that the ratio holds on a noisy machine.
 * BENCH_SECONDS (3) is the length of one run, BENCH_ROUNDS (3) their number, BENCH_CLIENTS (8) pgbench's clients.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../src/config/load.ts';
import { startEmbedded } from '../src/daemon/embedded.ts';
import { startDaemon } from '../src/daemon/start.ts';
import { createLog } from '../src/log.ts';

const run = promisify(execFile);
const number = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const seconds = number('BENCH_SECONDS', 3);
const rounds = number('BENCH_ROUNDS', 3);
const clients = number('BENCH_CLIENTS', 8);

interface Target {
  readonly name: 'direct' | 'stage';
  readonly url: string;
  readonly options: string;
}

/** Transactions of the kind that a pgbench script gives, per second. */
async function measure(target: Target, mode: string, script: readonly string[], count: number) {
  const args = ['-n', '-T', String(seconds), '-c', String(count), '-j', '1', '-M', mode];
  const env = { ...process.env, PGOPTIONS: target.options };
  const { stdout } = await run('pgbench', [...args, ...script, target.url], { env });
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function compare(label: string, targets: readonly Target[], mode: string, script: string[]) {
  const results = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) {
      results.get(target.name)?.push(await measure(target, mode, script, clients));
    }
  }
  const [direct, stage] = targets.map(({ name }) => median(results.get(name) ?? []));
  const ratio = ((stage ?? 0) / (direct ?? 1)).toFixed(2);
  const cells = [label, mode, direct?.toFixed(0), stage?.toFixed(0), ratio];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

const directory = await mkdtemp(join(tmpdir(), 'stage-bench-'));
const log = createLog('silent', process.stderr);
const server = await startEmbedded({ directory, log, settings: { fsync: 'off' } });
await run('pgbench', ['-q', '-i', '-s', '10', server.url]);
const config = loadConfig({
  flags: { upstream: server.url, port: 0, proxyPort: 0, logLevel: 'silent' },
  env: { HOME: directory },
  cwd: directory,
});
const daemon = await startDaemon(config, { env: {}, stderr: process.stderr, version: 'bench' });
try {
  const created = await fetch(`${daemon.restUrl}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  const { session_id: session } = (await created.json()) as { session_id: string };
  const proxied = new URL(server.url);
  proxied.port = String(daemon.proxyAddress.port);
  const targets: Target[] = [
    { name: 'direct', url: server.url, options: '' },
    { name: 'stage', url: proxied.href, options: `-c service_session=${session}` },
  ];
  const update = join(directory, 'update.sql');
  await writeFile(
    update,
    '\\set id random(1, 1000000)\nUPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :id;\n',
  );
  process.stdout.write(`| ${clients} clients | protocol | direct/s | stage/s | ratio |\n`);
  process.stdout.write('|---|---|---|---|---|\n');
  for (const mode of ['simple', 'extended', 'prepared']) {
    await compare('SELECT by key', targets, mode, ['-S']);
  }
  for (const mode of ['simple', 'prepared']) {
    await compare('UPDATE by key, staged', targets, mode, ['-f', update]);
  }
} finally {
  await daemon.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

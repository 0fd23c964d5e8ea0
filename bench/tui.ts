/**
 * The review of a diff of a million changes: `npm run bench:tui`, which builds first. Daemon, session and terminal are real, and the
 * program is the built one. Needs script(1) and Linux. BENCH_CHANGES (1000000) is the size of the diff, BENCH_KEYS (400) the number of
 * keys, BENCH_UPSTREAM a server to create a database on instead of the embedded one.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchTerminal } from './terminal.ts';
import { openTerminal } from './terminal.ts';
import type { Relay } from './tui-scene.ts';
import { program, stageChanges, startDaemon, startRelay, startUpstream } from './tui-scene.ts';

const changes = Number(process.env['BENCH_CHANGES'] ?? 1_000_000);
const keys = Number(process.env['BENCH_KEYS'] ?? 400);

/** Keys that each change the screen: rows, pages, columns, ends, layouts, panes and back. */
const [up, down, back] = ['\x1b[5~', '\x1b[6~', '\x1b[Z'];
const walk = [
  ...`j j ${down} j ${down} l h \x04 \x15 k G k ${up} g s j j s c c`.split(' '),
  ...`\r l l h ${back} + + 3 j 1 j t t ? \r ${down} g`.split(' '),
];

const directory = await mkdtemp(join(tmpdir(), 'stage-bench-'));
const upstream = await startUpstream(process.env['BENCH_UPSTREAM'], directory);
const daemon = await startDaemon(upstream.url, directory);
try {
  const session = await stageChanges(upstream.url, daemon, changes);
  const relay = await startRelay(daemon.url);
  const env = {
    HOME: directory,
    PATH: process.env['PATH'] ?? '',
    TERM: 'xterm',
    STAGE_SERVER: relay.url,
  };
  const start = performance.now();
  const terminal = await openTerminal([...program, 'diff', session], {
    directory,
    columns: 120,
    rows: 40,
    env,
  });
  await measure(terminal, start, relay).finally(() => terminal.close());
  relay.close();
} finally {
  await daemon.stop();
  await upstream.stop();
  await rm(directory, { recursive: true, force: true });
}

async function measure(terminal: BenchTerminal, start: number, relay: Relay): Promise<void> {
  const frame = terminal.when((text) => text.includes('\x1b[?2026l'));
  // the daemon counts all changes before it returns any
  const rows = terminal.when((text) => text.includes('owner 2\x1b'), 300_000);
  print('first frame after the start', [(await frame) - start]);
  const shown = await rows;
  print('rows after the start', [shown - start]);
  print("rows after the first byte of the daemon's outline", [shown - relay.firstByte]);
  // work in the background at the start must not affect what follows
  await terminal.when((text) => text.includes('Conflicts 0'), 120_000).catch(() => undefined);
  const cpu = await processorTime(terminal);
  const times: number[] = [];
  const own: number[] = [];
  for (let index = 0; index < keys; index += 1) {
    const waited = await waitingTime(terminal);
    const time = await terminal.press(walk[index % walk.length] ?? 'j');
    times.push(time);
    own.push(Math.max(0, time - ((await waitingTime(terminal)) - waited)));
    await pause(20);
  }
  print('key to frame', times);
  print('key to frame, less what it waited for a processor', own);
  print('of the processor, a key', [((await processorTime(terminal)) - cpu) / keys]);
  const jumps: number[] = [];
  for (let index = 1; index <= 20; index += 1) {
    const row = ((index * 7919 * 61) % changes) + 1;
    for (const key of `:${row}`) await terminal.press(key);
    jumps.push(await terminal.press('\r', `owner ${row}\x1b`));
    await pause(100);
  }
  print('anywhere in the diff, to its rows', jumps);
  const sizes: number[] = [];
  for (let index = 0; index < 40; index += 1) {
    sizes.push(await (index % 2 === 0 ? terminal.resize(80, 24) : terminal.resize(200, 60)));
    await pause(50);
  }
  print('resize to frame, stty(1) included', sizes);
  const status = await readFile(`/proc/${await terminal.pid()}/status`, 'utf8');
  for (const [name, label] of [
    ['VmRSS', 'memory at the end'],
    ['VmHWM', 'memory at most'],
  ] as const)
    write(
      label,
      `${Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)} MB`,
    );
  write('bytes written to the terminal', terminal.bytes.toLocaleString('en'));
  write(
    'load of the machine',
    loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
  );
}

function print(label: string, milliseconds: readonly number[]): void {
  const sorted = [...milliseconds].sort((one, other) => one - other);
  const part = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  write(
    label,
    sorted.length === 1
      ? `${part(0)} ms`
      : `p50 ${part(0.5)} ms, p95 ${part(0.95)} ms, most ${part(0.999)} ms`,
  );
}

function write(label: string, value: string): void {
  process.stdout.write(`| ${label} | ${value} |\n`);
}

/** Returns the milliseconds in which the program's main thread was ready to run, but others ran. */
async function waitingTime(terminal: BenchTerminal): Promise<number> {
  const stat = await readFile(`/proc/${await terminal.pid()}/schedstat`, 'utf8');
  return Number(stat.split(' ')[1]) / 1e6;
}

/** Returns the milliseconds of processor time that the program has used, in steps of ten. */
async function processorTime(terminal: BenchTerminal): Promise<number> {
  const stat = await readFile(`/proc/${await terminal.pid()}/stat`, 'utf8');
  const [user = '0', system = '0'] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14);
  return (Number(user) + Number(system)) * 10;
}

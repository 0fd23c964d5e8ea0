/** The cost of a proxy besides single queries: a connection for one query, and batches that are sent without waiting for responses. */
import pg from 'pg';
import { backend } from '../src/wire/message-codes.ts';
import { b, connectWire, e, p, s } from '../test/helpers/wire-script.ts';
import type { Target } from './pgbench.ts';
import { median } from './pgbench.ts';

const query = 'SELECT 1';
const batches = 100;
const repeats = 50;

/** Prints a table with a row for each: times a second, and the ratios to direct connections. The first target is the direct one. */
export async function compareConnections(
  targets: readonly Target[],
  rounds: number,
  print: (line: string) => void,
): Promise<void> {
  const names = targets.map(({ name }) => name);
  const ratios = names.slice(1).flatMap((name) => [`${name} / ${names[0]}`]);
  const last = names.length > 2 ? [`${names.at(-1)} / ${names[1]}`] : [];
  const heads = ['a second', ...names, ...ratios, ...last];
  print(`| ${heads.join(' | ')} |\n|${'---|'.repeat(heads.length)}`);
  print(await row('connect, one query, disconnect', connectOnce));
  print(await row(`${batches} batches of Bind, Execute, Sync at once`, pipeline));

  async function row(label: string, work: (url: string) => Promise<number>): Promise<string> {
    const rates = targets.map((): number[] => []);
    for (let round = -1; round < rounds; round += 1)
      for (const [index, { url }] of targets.entries()) {
        const rate = await work(url);
        if (round >= 0) rates[index]?.push(rate);
      }
    const of = (one: number, other: number) => {
      const each = (rates[one] ?? []).map((rate, round) => rate / (rates[other]?.[round] ?? NaN));
      return `${median(each).toFixed(2)} (${Math.min(...each).toFixed(2)}, ${Math.max(...each).toFixed(2)})`;
    };
    const medians = rates.map((each) => median(each).toFixed(0));
    const compared = targets.slice(1).map((_, index) => of(index + 1, 0));
    const toProxy = targets.length > 2 ? [of(targets.length - 1, 1)] : [];
    return `| ${[label, ...medians, ...compared, ...toProxy].join(' | ')} |`;
  }
}

/** Returns connections per second. */
async function connectOnce(url: string): Promise<number> {
  const start = performance.now();
  for (let done = 0; done < repeats; done += 1) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(query);
    await client.end();
  }
  return (1000 * repeats) / (performance.now() - start);
}

/** Returns batches per second. */
async function pipeline(url: string): Promise<number> {
  const wire = await connectWire(url);
  wire.send(p(query, 'kept'), s);
  await wire.readTo(backend.readyForQuery);
  const all = Buffer.concat(Array.from({ length: batches }, () => [b([], 'kept'), e(), s]).flat());
  const start = performance.now();
  for (let done = 0; done < repeats; done += 1) {
    wire.send(all);
    await wire.readTo(backend.readyForQuery, batches);
  }
  const seconds = (performance.now() - start) / 1000;
  wire.close();
  return (batches * repeats) / seconds;
}

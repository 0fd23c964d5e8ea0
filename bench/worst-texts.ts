/** Texts that take the parser longest within the limits; as a program, a client that sends one repeatedly. */
import { pathToFileURL } from 'node:url';
import pg from 'pg';

const repeated = (part: string, times: number, between = '') =>
  Array(times).fill(part).join(between);

export const worstTexts: Readonly<Record<string, () => string>> = {
  'refused: 30 KB of `/*`': () => repeated('/*', 15_000),
  'refused: 16 MB of `/*`': () => repeated('/*', 8_000_000),
  'refused: an assignment of 1,000 columns': () =>
    `UPDATE t SET (${repeated('a', 1000, ',')}) = (SELECT ${repeated('1', 1000, ',')})`,
  'in place: 2,300 elements': () => `SELECT 1 IN (${repeated('1', 2300, ',')})`,
  'in place: 800 signs': () => `SELECT ${repeated('+', 800)}1`,
  'in place: 32 KB of groupings in one another': () =>
    `${repeated('SELECT (', 620)}1${repeated(') FROM t GROUP BY a', 620)}`,
  'in place: deep nesting': () => `SELECT ${repeated('1+', 2400)}1`,
  'in place: 32 KB in which comments hide a mistake': () => `${repeated('/**/ ', 6500)} SELEC`,
  'apart: 240,000 elements': () => `SELECT 1 IN (${repeated('1', 240_000, ',')})`,
  'apart: 40,000 statements': () => repeated('SELECT 1;', 40_000),
  'apart: runs of 900 signs': () => `SELECT ${repeated(`${repeated('+', 900)}1`, 90, ',')}`,
  'apart: a literal of 15.9 MB': () => `SELECT length('${repeated('x', 15_900_000)}')`,
};

async function send(url: string, name: string): Promise<never> {
  const text = worstTexts[name]?.() ?? '';
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  process.stdout.write('sending\n');
  for (;;) await client.query(text).catch(() => undefined);
}

const [, program = '', url = '', name = ''] = process.argv;
if (pathToFileURL(program).href === import.meta.url) await send(url, name);

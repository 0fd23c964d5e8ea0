/**
 * The long run of the random nets: `npm run nets -- [--budget 20] [--seed S] [part of a name ...]`. It draws a new seed by default. From it
 * run every test file that draws its cases (it imports helpers/net.ts) and every program of random cases, with `budget` times the cases of
 * `npm test`. Then run the tests that alternate their forms, each case in each form. STAGE_TEST_PG sets the major version. At the end each
 * failure is listed with the command that draws the same cases again.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compiled } from './helpers/compiled.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    budget: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
  },
});
const budget = Number(values.budget);

interface Net {
  readonly name: string;
  readonly arguments: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Programs of random cases, with the amount for one unit of the budget. */
const programs: readonly Net[] = [
  {
    name: 'test/fuzz.ts',
    arguments: [],
    env: { STAGE_TEST_STATEMENTS: String(5_000 * budget) },
  },
  {
    name: 'test/definitions.ts',
    arguments: ['--programs', String(25 * budget), '--seed', values.seed],
  },
  {
    name: 'test/attack-random.ts',
    arguments: ['--programs', String(250 * budget), '--seed', values.seed],
  },
];

/** Tests that alternate the forms of their cases in `npm test`: see helpers/forms.ts. */
const inTurn: Net = {
  name: 'every form',
  arguments: [
    ...['attacks/as-', 'attacks/programs', 'attacks/text-run-as-sql', 'attacks/unspelled-calls'],
    ...['attacks/maintenance', 'e2e/migrations', 'proxy/interleavings'],
    ...['--file-timeout', '36000000'],
  ],
  env: { STAGE_TEST_FORMS: 'all' },
};

function testNets(): Net[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((path) => /\.test\.ts$/.test(path))
    .filter((path) => readFileSync(path, 'utf8').includes(`/net.ts'`))
    .sort()
    .map((path) => ({ name: path, arguments: [path, '--file-timeout', '36000000'] }));
}

async function holds(net: Net): Promise<boolean> {
  const program = programs.includes(net) ? net.name : 'test/run.ts';
  const env = { STAGE_TEST_BUDGET: values.budget, STAGE_TEST_SEED: values.seed, ...net.env };
  const child = spawn(process.execPath, [compiled(program), ...net.arguments], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}

const nets = [...testNets(), ...programs, inTurn].filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
process.stdout.write(`seed ${values.seed}, budget ${budget}\n`);
const failed: string[] = [];
for (const net of nets) if (!(await holds(net))) failed.push(net.name);
for (const name of failed)
  process.stdout.write(
    `FAIL ${name}: npm run nets -- --seed ${values.seed} --budget ${budget} '${name}'\n`,
  );
process.stdout.write(`${nets.length - failed.length} passed, ${failed.length} failed\n`);
process.exitCode = failed.length === 0 && nets.length > 0 ? 0 : 1;

/**
 * Runs random programs, staged and directly, and checks them: production is untouched, nothing is lost, nothing hangs, responses are equal.
 */
import type { TestDatabase } from '../../helpers/database.ts';
import { rawWrites } from '../../helpers/raw-writes.ts';
import { q, runScript, s } from '../../helpers/wire-script.ts';
import { fingerprint } from '../fingerprint.ts';
import { acknowledgedRows, stagedRows } from '../programs/acknowledged.ts';
import { firstDifference, short } from './compare.ts';
import type { Field } from './field.ts';
import type { Program } from './random-program.ts';
import { reset } from './schema.ts';

export type Fault = 'leak' | 'hang' | 'raw write' | 'difference';

export interface ProgramVerdict {
  /** The faults, with descriptions. */
  readonly faults: ReadonlyMap<Fault, string>;
  /** Whether the rest was not compared, because staging is meant to differ. */
  readonly isRefused: boolean;
}

const patience = 20_000;

/** The messages after every program. */
const ending = [
  ...[s, q('ROLLBACK')],
  ...[q('SELECT id, v FROM t ORDER BY id'), q('SELECT v FROM note ORDER BY v')],
];

export interface Runner {
  /** Runs programs at once, at most as many as there are copies, and suspicious ones once more, alone. */
  runAll(programs: readonly Program[]): Promise<ProgramVerdict[]>;
  run(program: Program): Promise<ProgramVerdict>;
}

export async function createRunner(field: Field): Promise<Runner> {
  const production = { before: await fingerprint(field.production) };

  /** Returns the changes in production, which it undoes, and the raw writes that were sent there. */
  async function breaches(): Promise<[Fault, string][]> {
    const raw = field.upstream.take().filter((text) => rawWrites(text).length > 0);
    const found: [Fault, string][] = raw.length > 0 ? [['raw write', raw.join(' / ')]] : [];
    const after = await fingerprint(field.production);
    const changed = after.filter((line) => !production.before.includes(line));
    if (changed.length === 0 && after.length === production.before.length) return found;
    await field.production.query(reset);
    production.before = await fingerprint(field.production);
    return [...found, ['leak', changed.join(' / ')]];
  }

  const run = async (program: Program): Promise<ProgramVerdict> => {
    const reported = await runOn(field, field.copies[0] as TestDatabase, program);
    return { ...reported, faults: new Map([...(await breaches()), ...reported.faults]) };
  };

  return {
    run,
    runAll: async (programs) => {
      const reported = await Promise.all(
        programs.map((program, at) => runOn(field, field.copies[at] as TestDatabase, program)),
      );
      const isBreach = (await breaches()).length > 0;
      const verdicts: ProgramVerdict[] = [];
      for (const [at, verdict] of reported.entries()) {
        const isSuspicious = isBreach || verdict.faults.size > 0;
        verdicts.push(isSuspicious ? await run(programs[at] as Program) : verdict);
      }
      return verdicts;
    },
  };
}

const fault = (kind: Fault, what: string): ProgramVerdict => ({
  faults: new Map([[kind, what]]),
  isRefused: false,
});

async function runOn(field: Field, copy: TestDatabase, program: Program): Promise<ProgramVerdict> {
  const { id, url } = await field.session(program.role, program.reads);
  const messages = [...program.said.map(({ bytes }) => bytes), ...ending];
  const [staged, direct] = await Promise.all([
    patiently(runScript(url, messages)),
    patiently(runScript(field.direct(copy, program.role), messages)),
  ]);
  await copy.query(reset);
  if (staged === null || direct === null)
    return fault('hang', `no end ${staged ? 'directly' : 'staged'}`);
  const [acknowledged, count] = [acknowledgedRows(staged), await stagedRows(field.daemon, id)];
  if (acknowledged > count)
    return fault('leak', `${acknowledged} rows acknowledged, ${count} staged`);
  if (staged.at(-1) === 'closed' && !staged.some((answer) => answer.startsWith('E S=FATAL')))
    return fault('hang', 'closed without a word');
  const found = firstDifference(program, direct, staged);
  if (found === null || found.isRefusal) return { faults: new Map(), isRefused: found !== null };
  const kind = `directly ${short(found.direct)}, staged ${short(found.staged)}`;
  const details = [found.direct, found.staged, `before: ${found.alike.join(', ')}`];
  return fault('difference', [kind, ...details].join('\n--   '));
}

/** Waits for `work`; returns null if it takes too long. */
async function patiently<T>(work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), patience);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

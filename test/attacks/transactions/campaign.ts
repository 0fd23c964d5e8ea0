/** Runs the programs of many seeds in lanes, shrinks the failed ones, and counts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { withoutNeedless } from '../../fuzz/shrink.ts';
import { startField } from './field.ts';
import type { Program } from './random-program.ts';
import { randomProgram } from './random-program.ts';
import type { Fault, ProgramVerdict, Runner } from './run-program.ts';
import { createRunner } from './run-program.ts';

interface CampaignOptions {
  readonly seed: number;
  readonly programs: number;
  readonly lanes: number;
  /** The number of programs of a lane that run at once. */
  readonly width: number;
  /** The number of failed programs of each kind that are shrunk and reported, and the kinds. */
  readonly reported: number;
  readonly kinds?: readonly string[];
  /** No further programs begin once it is aborted. */
  readonly signal?: AbortSignal;
  tell(report: string): void;
}

export type Totals = Record<Fault | 'program' | 'refusal', number>;

export async function runCampaign(options: CampaignOptions): Promise<Totals> {
  const totals: Totals = {
    ...{ program: 0, refusal: 0, leak: 0, hang: 0, difference: 0, 'raw write': 0 },
  };
  const next = { seed: options.seed };
  const end = options.seed + options.programs;
  const lane = async () => {
    const field = await startField(options.width);
    try {
      const runner = await createRunner(field);
      while (next.seed < end && !options.signal?.aborted) {
        const count = Math.min(options.width, end - next.seed);
        const programs = Array.from({ length: count }, () => randomProgram(next.seed++));
        const verdicts = await patiently(() => runner.runAll(programs));
        for (const [at, verdict] of verdicts.entries())
          await note(runner, options, totals, programs[at] as Program, verdict);
      }
    } finally {
      await field.stop();
    }
  };
  await Promise.all(Array.from({ length: options.lanes }, lane));
  return totals;
}

/** Retries work. A long run has low priority, so the daemon may find its server too slow to serve REST. */
async function patiently<T>(work: () => Promise<T>, tries = 20): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (tries === 1 || !String(error).includes('upstream_unavailable')) throw error;
    await sleep(3000);
    return patiently(work, tries - 1);
  }
}

async function note(
  runner: Runner,
  options: CampaignOptions,
  totals: Totals,
  program: Program,
  verdict: ProgramVerdict,
): Promise<void> {
  totals.program += 1;
  if (verdict.isRefused) totals.refusal += 1;
  for (const [fault, what] of verdict.faults) {
    totals[fault] += 1;
    if (totals[fault] > options.reported || options.kinds?.includes(fault) === false) continue;
    const small = await shrunk(runner, program, fault, what);
    const again = (await runner.run(small)).faults.get(fault);
    options.tell(report(again ? small : program, fault, again ?? `once: ${what}`));
  }
}

/** Removes messages for as long as the same fault occurs. A hang takes too long for many tries. */
async function shrunk(
  runner: Runner,
  program: Program,
  fault: Fault,
  what: string,
): Promise<Program> {
  const kindOf = (words: string | undefined) =>
    fault === 'difference' ? words?.split('\n', 1)[0] : words !== undefined;
  const left = { tries: fault === 'hang' ? 8 : 80 };
  const said = await withoutNeedless(program.said, left, async (kept) => {
    const found = await runner.run({ ...program, said: kept });
    return kindOf(found.faults.get(fault)) === kindOf(what);
  });
  return { ...program, said };
}

const report = ({ seed, role, said }: Program, fault: Fault, what: string): string =>
  [
    `-- seed ${seed}, as ${role}: ${fault}: ${what.slice(0, 1500)}`,
    ...said.map(({ words }) => words),
  ].join('\n');

export const summary = (totals: Totals): string =>
  `programs ${totals.program}, leaks ${totals.leak}, hangs ${totals.hang}, differences ${totals.difference}, raw writes ${totals['raw write']}, refusals ${totals.refusal}`;

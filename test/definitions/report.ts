/** Describes a program that failed: made small, as SQL. */
import { withoutNeedless } from '../fuzz/shrink.ts';
import type { Step } from './program.ts';
import type { Outcome } from './run-program.ts';
import { runProgram } from './run-program.ts';

/** @param tries the maximum number of programs to run to find a small one */
export async function reportOf(
  steps: readonly Step[],
  difference: NonNullable<Outcome['difference']>,
  tries: number,
): Promise<string> {
  const failing = steps.slice(0, difference.at + 1);
  const small = await withoutNeedless(failing, { tries }, async (kept) => {
    return (await runProgram(kept)).difference !== null;
  });
  const { direct, staged } = (await runProgram(small)).difference ?? difference;
  return [
    ...small.map((step) => `${step.text}; -- ${sender(step)}`),
    `--   directly: ${JSON.stringify(direct)}`,
    `--   staged: ${JSON.stringify(staged)}`,
  ].join('\n');
}

function sender(step: Step): string {
  if (step.kind === 'change') return 'directly';
  return `connection ${step.on}${step.isExtended ? ', extended' : ''}`;
}

/** Runs one seed, and tells of a difference so that it can be replayed: shrunk, and as plain SQL. */
import type { Coverage } from './coverage.ts';
import type { Difference } from './run-script.ts';
import { runScript } from './run-script.ts';
import type { Script } from './script.ts';
import { randomScript } from './script.ts';
import { scriptAsSql } from './script-text.ts';
import { shrink } from './shrink.ts';

interface FuzzOptions {
  readonly seed: number;
  readonly length: number;
  /** PostgreSQL's major version. */
  readonly major: number;
  /** How many scripts may be run to find a small one. */
  readonly tries: number;
  readonly coverage?: Coverage;
  /** Ends the run. */
  readonly signal?: AbortSignal;
}

/**
 * Gives the number of statements run, and the words about a difference if there was one.
 * @throws the reason of the signal
 */
export async function fuzzSeed(
  options: FuzzOptions,
): Promise<{ count: number; report: string | null }> {
  const { seed, length, major, tries, coverage, signal } = options;
  const script = randomScript(seed, length, major);
  coverage?.schema(script);
  const difference = await runScript(script, coverage, signal);
  if (!difference) return { count: script.statements.length, report: null };
  const failing = upTo(script, difference);
  const small =
    tries === 0
      ? failing
      : await shrink(failing, (candidate) => failsAlike(candidate, difference, signal), tries);
  const found = (await runScript(small, undefined, signal)) ?? difference;
  const head = `-- seed ${seed}, ${major}: replay with STAGE_TEST_SEED=${seed} STAGE_TEST_LENGTH=${length}`;
  const report = [head, scriptAsSql(small), asComment(found)].join('\n');
  return { count: failing.statements.length, report };
}

const upTo = (script: Script, { at }: Difference): Script =>
  at === null ? script : { ...script, statements: script.statements.slice(0, at + 1) };

/** The same kind of difference: otherwise the small script might show another one. */
async function failsAlike(
  script: Script,
  wanted: Difference,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const found = await runScript(script, undefined, signal);
  return found !== null && kindOf(found) === kindOf(wanted);
}

/** Where it was found, and what each side said first. */
function kindOf({ at, what, direct, staged }: Difference): string {
  const first = (answer: readonly string[]) =>
    answer
      .map((line) => / C=(\w{5})/.exec(line)?.[1] ?? line[0])
      .find((word) => word !== '1' && word !== '2');
  return at === null ? what : `${first(direct)} ${first(staged)}`;
}

function asComment({ what, direct, staged }: Difference): string {
  const onlyIn = (mine: readonly string[], others: readonly string[]) =>
    mine.filter((line) => !others.includes(line)).map((line) => `--   ${JSON.stringify(line)}`);
  return [
    `-- ${what}`,
    '-- only directly:',
    ...onlyIn(direct, staged),
    '-- only staged:',
    ...onlyIn(staged, direct),
  ].join('\n');
}

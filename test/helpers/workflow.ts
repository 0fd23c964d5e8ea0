/** Runs a GitHub workflow on this machine: its own steps for real; those of other actions by what they leave on disk. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultLoadersSync } from 'cosmiconfig';

const execute = promisify(execFile);

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly id?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Job {
  readonly needs?: string;
  readonly if?: string;
  readonly environment?: string;
  readonly permissions?: object;
  readonly 'runs-on': string;
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** A pull request in a repository on this machine. */
export interface PullRequest {
  readonly repository: string;
  readonly base: string;
  readonly head: string;
}

export interface JobOutcome {
  readonly succeeded: boolean;
  /** The output of all its steps, and what they wrote to the summary. */
  readonly said: string;
  readonly summary: string;
  /** The outputs of all steps with an id, as `steps.<id>.outputs.<name>`. */
  readonly outputs: Readonly<Record<string, string>>;
}

export function readWorkflow(text: string): Workflow {
  return defaultLoadersSync['.yaml']('workflow.yml', text);
}

/**
 * Runs the command steps of a job, up to the first that fails.
 * @param values what the expressions of the workflow evaluate to, besides the commits of the pull request
 * @param runner environment of the runner
 */
export async function playJob(
  { on, env = {}, jobs }: Workflow,
  name: string,
  request: PullRequest,
  values: Readonly<Record<string, string>>,
  runner: Readonly<Record<string, string>>,
): Promise<JobOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'stage-job-'));
  const files = {
    GITHUB_OUTPUT: join(folder, 'outputs'),
    GITHUB_STEP_SUMMARY: join(folder, 's'),
    GITHUB_PATH: join(folder, 'path'),
  };
  const outputs: Record<string, string> = {};
  let said = '';
  let succeeded = true;
  const resolve = (text: string) =>
    text.replaceAll(/\$\{\{ (.+?) \}\}/g, (_, key: string) => {
      const commits = { base: request.base, head: request.head };
      const commit = /^github\.event\.pull_request\.(base|head)\.sha$/.exec(key)?.[1];
      if (commit) return commits[commit as keyof typeof commits];
      return { ...values, ...outputs }[key] ?? '';
    });
  const resolved = (all: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(all).map(([key, value]) => [key, resolve(value)]));
  const cwd = join(folder, 'work');
  await execute('git', ['init', '--quiet', cwd]);
  try {
    for (const file of Object.values(files)) await writeFile(file, '');
    for (const step of jobs[name]?.steps ?? []) {
      if (step.uses?.startsWith('actions/checkout@')) await checkOut(cwd, on, request, step);
      if (!step.run || !isWanted(step, outputs)) continue;
      await writeFile(files.GITHUB_OUTPUT, '');
      const given = { ...resolved(env), ...resolved(step.env ?? {}) };
      const environment = { ...runner, ...files, RUNNER_TEMP: folder, ...given };
      const options = { cwd, env: environment };
      const done = await execute('bash', ['-e', '-c', step.run], options).then(
        ({ stdout, stderr }) => ({ text: stdout + stderr, failed: false }),
        ({ stdout, stderr }) => ({ text: String(stdout) + String(stderr), failed: true }),
      );
      said += done.text;
      for (const [, key, value = ''] of (await readFile(files.GITHUB_OUTPUT, 'utf8')).matchAll(
        /^(\w+)=(.*)$/gm,
      ))
        outputs[`steps.${step.id}.outputs.${key}`] = value;
      succeeded = !done.failed;
      if (!succeeded) break;
    }
    const summary = await readFile(files.GITHUB_STEP_SUMMARY, 'utf8');
    return { succeeded, said: said + summary, summary, outputs };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Checks out the files of the pull request on `pull_request`, and those of the base on `pull_request_target`. */
async function checkOut(
  cwd: string,
  on: Workflow['on'],
  { repository, base, head }: PullRequest,
  { with: given = {} }: Step,
): Promise<void> {
  const asked = given['ref'];
  if (asked !== undefined) throw new Error(`the workflow checks out ${asked}`);
  await execute('git', ['fetch', '--quiet', repository, '+refs/heads/*:refs/remotes/origin/*'], {
    cwd,
  });
  const commit = 'pull_request_target' in on ? base : head;
  await execute('git', ['checkout', '--quiet', '--detach', commit], { cwd });
}

/** Returns whether a step runs. The only condition in use is that another step has an output. */
function isWanted(step: Step, outputs: Readonly<Record<string, string>>): boolean {
  if (step.if === undefined) return true;
  const [, key] = /^(steps\.[\w.]+) != ''$/.exec(step.if) ?? [];
  if (key === undefined) throw new Error(`cannot tell ${step.if}`);
  return (outputs[key] ?? '') !== '';
}

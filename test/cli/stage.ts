/** Runs the command line: in this process, at a simulated terminal or in pipes; or as a separate process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Host } from '../../src/cli/host.ts';
import { main } from '../../src/cli/main.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The typed text; null leaves stdin open and silent. */
  readonly input?: string | null;
}

/** A separate folder for a test: the working directory, home, state and configuration of its commands. */
export interface Shell {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs the command line in pipes. */
  run(args: readonly string[], surroundings?: Surroundings): Promise<Outcome>;
  /** Runs it at a terminal. */
  atTerminal(args: readonly string[], surroundings?: Surroundings): Promise<Outcome>;
  /** Runs it as a separate process, in pipes. */
  spawn(args: readonly string[], surroundings?: Surroundings): Promise<Outcome>;
  clear(): Promise<void>;
}

/** Node's arguments to run the released program. */
export const stageCommand: readonly string[] = [resolve('bin/stage.js')];

/** Creates a shell whose commands use the given server. */
export async function createShell(server = 'http://127.0.0.1:1'): Promise<Shell> {
  const folder = await mkdtemp(join(tmpdir(), 'stage-cli-'));
  const path = process.env['PATH'] ?? '';
  const env = { HOME: folder, PATH: path, STAGE_SERVER: server, PGUSER: 'app', PGPASSWORD: 'app' };
  const place = (surroundings: Surroundings = {}) => ({
    cwd: surroundings.cwd ?? folder,
    env: { ...env, ...surroundings.env },
    input: surroundings.input === undefined ? '' : surroundings.input,
  });
  return {
    folder,
    env,
    run: (args, surroundings) => runHere(args, place(surroundings), false),
    atTerminal: (args, surroundings) => runHere(args, place(surroundings), true),
    spawn: (args, surroundings) => runProcess(args, place(surroundings)),
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}

type Place = Required<Surroundings>;

async function runProcess(args: readonly string[], { cwd, env, input }: Place): Promise<Outcome> {
  const child = spawn(process.execPath, [...stageCommand, ...args], { cwd, env });
  if (input !== null) child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { code, stdout, stderr };
}

/** Runs the command line in this process. The streams are real, but only pretend to be a terminal. */
async function runHere(
  args: readonly string[],
  { cwd, env, input }: Place,
  isTTY: boolean,
): Promise<Outcome> {
  const stream = () => Object.assign(new PassThrough(), { isTTY, columns: 100 });
  const [stdin, stdout, stderr] = [stream(), stream(), stream()];
  if (input !== null) stdin.write(input);
  const host: Host = {
    argv: [process.execPath, 'stage', ...args],
    env,
    stdin,
    stdout,
    stderr,
    cwd: () => cwd,
    on: () => undefined,
    off: () => undefined,
    pid: process.pid,
    kill: () => undefined,
  };
  const written = Promise.all([text(stdout), text(stderr)]);
  const code = await main(host);
  stdout.end();
  stderr.end();
  const [out, err] = await written;
  return { code, stdout: out, stderr: err };
}

/** Puts a program `stage` into the shell's folder, for scripts that find it by the PATH. */
export async function installStage({ folder, env }: Shell): Promise<Record<string, string>> {
  const command = [process.execPath, ...stageCommand].map((word) => `'${word}'`).join(' ');
  await writeFile(join(folder, 'stage'), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  return { ...env, PATH: `${folder}:${env['PATH']}` };
}

/** The entry point of the command line: from arguments to an exit code. */
import type { Command } from 'commander';
import { CommanderError } from 'commander';
import { StageError } from '../errors.ts';
import { packageVersion } from '../package-version.ts';
import { callerForHelp, groupToList } from './allowed-commands.ts';
import type { Context } from './context.ts';
import type { Host } from './host.ts';
import { Interrupted, interruptedExit, isClosedPipe } from './interrupt.ts';
import type { LazyCommand, Run } from './lazy-commands.ts';
import { Output } from './output/output.ts';
import { createProgram, listAllowed } from './program.ts';
import type { SharedOptions } from './settings.ts';

/** Runs one command line and returns its exit code. Every error is handled here. */
export async function main(host: Host): Promise<number> {
  for (const stream of [host.stdout, host.stderr]) stream.on('error', () => undefined);
  let exit = 0;
  let context: Context | null = null;
  const run: Run =
    (work) =>
    async (...args) => {
      const command = args.at(-1) as Command;
      const options = command.optsWithGlobals<SharedOptions>();
      context = { host, program, out: createOutput(host, options), options };
      const code = await work(context, options, ...command.args);
      exit = typeof code === 'number' ? code : 0;
    };
  const program = createProgram(host, packageVersion(), run);
  try {
    await limitHelp(program, host);
    await program.parseAsync(argumentsOf(host));
    return exit;
  } catch (error) {
    return await exitOf(error, context ?? unparsedContext(host, program));
  }
}

/** Leaves out of the requested list of commands those that the token does not allow. */
async function limitHelp(program: LazyCommand, host: Host): Promise<void> {
  const name = groupToList(host.argv);
  const command = program.commands.find((each) => each.name() === name) as LazyCommand | undefined;
  const group = name === '' ? program : await command?.load();
  if (!group?.commands.some((each) => (each as LazyCommand).operation !== undefined)) return;
  const caller = await callerForHelp(host);
  if (caller?.operations) listAllowed(group, caller.role, caller.operations);
}

/** Returns a context with the options known so far, for a command line that could not be parsed. */
function unparsedContext(host: Host, program: Command): Context {
  const json = host.argv.includes('--json') ? { json: true as const } : {};
  const options = { ...program.opts<SharedOptions>(), ...json };
  return { host, program, out: createOutput(host, options), options };
}

/** Adds --help to a bare `stage`. */
function argumentsOf({ argv }: Host): readonly string[] {
  return argv.length > 2 ? argv : [...argv, '--help'];
}

function createOutput(host: Host, { json, output, color, quiet }: SharedOptions): Output {
  const colour = color === false ? 'never' : color;
  return new Output(host, { json: json ?? output === 'json', quiet: quiet ?? false, colour });
}

/** Reports an error, unless it only stopped the command, and returns the exit code. */
async function exitOf(error: unknown, { out, options }: Context): Promise<number> {
  if (error instanceof Interrupted) return interruptedExit;
  if (isClosedPipe(error)) return 0;
  const { reportFailure, toStageError } = await import('./failure.ts');
  const shown = error instanceof CommanderError ? usageError(error) : toStageError(error);
  if (shown === null) return 0;
  try {
    await reportFailure(out, shown, options.debug ?? false);
  } catch (failure) {
    if (!isClosedPipe(failure)) throw failure;
  }
  return shown.exit;
}

/** Converts an error of commander; null if help or the version was requested. */
function usageError({ exitCode, code, message }: CommanderError): StageError | null {
  if (exitCode === 0) return null;
  if (code === 'commander.help') return new StageError('usage', 'this is not a whole command');
  const [sentence = '', suggestion] = message.replace(/^error: /, '').split('\n');
  return new StageError('usage', sentence, {
    hint: suggestion?.replace(/^\((.*)\)$/, '$1') ?? 'See `stage --help`.',
  });
}

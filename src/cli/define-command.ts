/** Defines commands as data. lazy-commands.ts makes commander's commands of them. */
import type { Argument, Option } from 'commander';
import type { SessionStatus } from '../model/session.ts';
import { resolveSession } from './arguments/session-argument.ts';
import type { Connection, Context } from './context.ts';
import { withServer } from './context.ts';
import type { SharedOptions } from './settings.ts';

/** An exit code; nothing for 0. */
type Exit = Promise<number> | Promise<void>;

/** The work of a command. */
type Work<Subject, Options> = (
  subject: Subject,
  options: Options & SharedOptions,
  ...operands: string[]
) => Exit;

/** A name as in `[session]` or `<entry>`, and a description. */
export type ArgumentData = Argument | readonly [name: string, description: string];

/** Flags as in `--by <name>`, a description, and how the value is parsed. */
export type OptionData =
  | Option
  | readonly [flags: string, description: string, parse?: (text: string) => unknown];

interface Description {
  readonly description: string;
  /** The command line as the help shows it, if commander cannot derive it. */
  readonly usage?: string;
  readonly arguments?: readonly ArgumentData[];
  readonly options?: readonly OptionData[];
  readonly examples?: readonly string[];
}

export interface CommandData<Options = unknown> extends Description {
  /** Absent for a group of commands. */
  readonly work?: Work<Context, Options>;
  /** The commands below a group. */
  readonly commands?: readonly CommandEntry[];
}

/** A command whose options have any type: commander passes those that it declares. */
export type AnyCommand = CommandData<never>;

/** A command by its name and summary, which is all that the help of its group needs. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Name of the operation of the REST interface without which it is of no use; absent if anybody may use it. */
  readonly operation?: string;
  /** Whether the command works but is listed nowhere. */
  readonly hidden?: true;
  load(): Promise<AnyCommand>;
}

/** Defines a command that works without the daemon, or a group of commands. */
export function defineCommand<Options>(command: CommandData<Options>): AnyCommand {
  return command;
}

/** The context of a command that calls the daemon. */
interface Served {
  readonly context: Context;
  readonly connection: Connection;
}

/** Defines a command that works with a connection to the daemon. */
export function defineServerCommand<Options>({
  work,
  ...description
}: Description & { readonly work: Work<Served, Options> }): AnyCommand {
  return defineCommand<Options>({
    ...description,
    work: async (context, options, ...operands) =>
      withServer(context, async (connection) =>
        codeOf(work({ context, connection }, options, ...operands)),
      ),
  });
}

/**
 * Defines a command about one session, by default its only operand.
 * @param command `states` of the sessions that it can be about; absent for any that is remembered or named
 */
export function defineSessionCommand<Options>({
  work,
  states,
  ...description
}: Description & {
  readonly states?: readonly SessionStatus[];
  readonly work: Work<Served & { readonly id: string }, Options>;
}): AnyCommand {
  return defineServerCommand<Options>({
    arguments: [['[session]', 'session id']],
    ...description,
    work: async ({ context, connection }, options, argument) => {
      const id = await resolveSession(context, connection, argument, states);
      return codeOf(work({ context, connection, id }, options));
    },
  });
}

async function codeOf(exit: Exit): Promise<number> {
  const code: unknown = await exit;
  return typeof code === 'number' ? code : 0;
}

/** The program: the commands, and the options that all of them share. */
import type { Command } from 'commander';
import { Help, Option } from 'commander';
import { commandGroups } from './command-groups.ts';
import type { Host } from './host.ts';
import type { Run } from './lazy-commands.ts';
import { addCommands, examples, LazyCommand } from './lazy-commands.ts';
import { colourModes } from './output/colour.ts';
import { topics } from './topics.ts';

/** Lists in the help of a group, or of the program, only the commands that the given operations allow, and names the others below. */
export function listAllowed(group: LazyCommand, role: string, operations: readonly string[]): void {
  const isAllowed = (command: Command) => {
    const { operation } = command as LazyCommand;
    return operation === undefined || operations.includes(operation);
  };
  const others = group.commands.filter((command) => !isAllowed(command));
  if (others.length === 0) return;
  const listed = Help.prototype.visibleCommands;
  group.configureHelp({
    showGlobalOptions: true,
    visibleCommands(command) {
      const visible = listed.call(this, command);
      return command === group ? visible.filter(isAllowed) : visible;
    },
  });
  const names = others.map((command) => command.name()).join(', ');
  group.addHelpText('after', `\nNot for your token, whose role is ${role}: ${names}`);
}

const help = examples([
  'stage serve                     start the daemon',
  'stage session new               start a session, and see how to connect with it',
  'stage psql                      write: nothing reaches production',
  'stage diff                      show what was staged',
  'stage propose && stage approve  apply it, all or nothing',
]);

const topicList = Object.entries(topics)
  .map(([name, { summary }]) => `  stage help ${name.padEnd(12)}  ${summary}`)
  .join('\n');

/** Builds the program. Its parser throws CommanderError instead of ending the process. */
export function createProgram(host: Host, version: string, run: Run): LazyCommand {
  const program = new LazyCommand('stage')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void host.stderr.write(text),
      // main reports errors, in the requested format
      outputError: () => undefined,
      getOutHelpWidth: () => host.stdout.columns ?? 80,
      getErrHelpWidth: () => host.stderr.columns ?? 80,
    })
    .description(
      'Stage the writes of a PostgreSQL client, review them, and apply them in one transaction.',
    )
    .version(version, '-V, --version', 'print the version; `stage version` prints more')
    .helpOption('-h, --help', 'explain the command')
    .configureHelp({ showGlobalOptions: true })
    .option('-s, --session <session>', 'session the command is about')
    .option('--server <url>', 'address of the daemon (default: http://127.0.0.1:8080)')
    .option('--server-ca <file>', 'certificates (PEM) by which an https daemon is known')
    .option('--config <file>', 'configuration file')
    .option('--json', 'one JSON document on stdout, errors as JSON on stderr')
    .addOption(new Option('--color <when>', 'colours').choices(colourModes).default('auto'))
    .option('--no-color', 'no colours')
    .option('-q, --quiet', 'no remarks on stderr, only errors and warnings')
    .option('-v, --verbose', 'print what is being done')
    .option('--debug', 'show where an error came from')
    .addHelpText('before', help)
    .addHelpText('after', `\nTopics:\n${topicList}`);
  for (const { title, entries } of commandGroups) {
    program.commandsGroup(title);
    addCommands(program, entries, run);
  }
  return program;
}

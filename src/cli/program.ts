/** The tree of commands, and the options that all of them share. */
import { Command, Option } from 'commander';
import { colourModes } from './colour.ts';
import { addApprove } from './commands/approve.ts';
import { addAudit } from './commands/audit.ts';
import { addCheck } from './commands/check.ts';
import { addDiff } from './commands/diff.ts';
import { addHelp } from './commands/help.ts';
import { addInit } from './commands/init.ts';
import { addLog } from './commands/log.ts';
import { addPropose } from './commands/propose.ts';
import { addPsql } from './commands/psql.ts';
import { addReject } from './commands/reject.ts';
import { addServe } from './commands/serve.ts';
import { addSession } from './commands/session.ts';
import { addStatus } from './commands/status.ts';
import { addUrl } from './commands/url.ts';
import type { Host } from './host.ts';
import type { Run } from './run.ts';
import { examples } from './run.ts';
import { topics } from './topics.ts';

/** In the order in which they are used, and shown. */
const groups: readonly (readonly [
  title: string,
  commands: readonly ((parent: Command, run: Run) => void)[],
])[] = [
  ['Daemon:', [addServe, addInit, addStatus]],
  ['Work in a session:', [addSession, addUrl, addPsql, addDiff, addLog]],
  ['Review:', [addPropose, addCheck, addApprove, addReject, addAudit]],
  ['Help:', [addHelp]],
];

const help = examples([
  'stage serve                     start the daemon',
  'stage session new               start a session, and see how to connect with it',
  'stage psql                      write: nothing reaches production',
  'stage diff                      look at what was staged',
  'stage propose && stage approve  apply it, all or nothing',
]);

const topicList = Object.entries(topics)
  .map(([name, { summary }]) => `  stage help ${name.padEnd(12)}  ${summary}`)
  .join('\n');

/** Builds the program. Parsing it raises CommanderError instead of ending the process. */
export function createProgram(host: Host, version: string, run: Run): Command {
  const program = new Command('stage')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void host.stderr.write(text),
      // main tells about errors, in the form that was asked for
      outputError: () => undefined,
      getOutHelpWidth: () => host.stdout.columns ?? 80,
      getErrHelpWidth: () => host.stderr.columns ?? 80,
    })
    .description(
      'Stage the writes of a PostgreSQL client, review them, and apply them in one transaction.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain the command')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .option('-s, --session <session>', 'session the command is about')
    .option('--server <url>', 'address of the daemon (default: http://127.0.0.1:8080)')
    .option('--config <file>', 'configuration file')
    .option('--json', 'one JSON document on stdout, errors as JSON on stderr')
    .addOption(new Option('--color <when>', 'colours').choices(colourModes).default('auto'))
    .option('--no-color', 'no colours')
    .option('-q, --quiet', 'no remarks on stderr')
    .option('-v, --verbose', 'say what is done')
    .option('--debug', 'show where an error came from')
    .addHelpText('before', help)
    .addHelpText('after', `\nTopics:\n${topicList}`);
  for (const [title, commands] of groups) {
    program.commandsGroup(title);
    for (const add of commands) add(program, run);
  }
  return program;
}

/** Generates the man page and docs/commands.md from the definitions that parse the commands. */
import type { Command } from 'commander';
import type { LazyCommand } from './lazy-commands.ts';
import { topics } from './topics.ts';

/** Returns all visible commands below one, in the order of its help; commands that only group others are left out. */
async function leavesOf(command: LazyCommand): Promise<Command[]> {
  await command.load();
  const below = command.createHelp().visibleCommands(command) as LazyCommand[];
  if (below.length === 0) return [command];
  const leaves = [];
  for (const each of below) leaves.push(...(await leavesOf(each)));
  return leaves;
}

/** Returns `stage session new`, without `[options]`, which all commands have. */
function spelling(command: Command): string {
  const usage = command.usage().replace(/\[(?:options|command)\] ?/g, '');
  return `${fullName(command)} ${usage}`.trim();
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

/** Generates the reference in docs/commands.md: a table of all commands, then each command, then the topics of `stage help`. */
export async function commandReference(program: LazyCommand): Promise<string> {
  const commands = await leavesOf(program);
  const rows = commands.map(
    (command) =>
      `| [\`${spelling(command).replaceAll('|', '\\|')}\`](#${fullName(command).replaceAll(' ', '-')}) | ${command.summary()} |`,
  );
  const parts = [
    ['| Command | |', '|---|---|', ...rows].join('\n'),
    '## Options of all commands',
    optionList(program),
    '## Each command',
    ...commands.flatMap((command) => [
      `### ${fullName(command)}`,
      spelling(command) === fullName(command) ? '' : `\`${spelling(command)}\``,
      markdown(command.description()),
      optionList(command),
      fenced(
        examplesOf(command)
          .replace(/^Examples:\n/, '')
          .replaceAll(/^ {2}/gm, ''),
      ),
    ]),
    ...Object.entries(topics).flatMap(([name, { text }]) => [
      `## ${name[0]?.toUpperCase()}${name.slice(1).replace('-', ' ')}`,
      fenced(text.trimEnd()),
    ]),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function optionList(command: Command): string {
  const help = command.createHelp();
  return shownOptions(command)
    .map((option) => `- \`${option.flags}\`: ${markdown(help.optionDescription(option))}`)
    .join('\n');
}

const fenced = (text: string) => (text === '' ? '' : `\`\`\`text\n${text}\n\`\`\``);

/** Escapes Markdown, except code. */
function markdown(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll(/[<*_~[\]|]/g, '\\$&')))
    .join('');
}

/** Generates the man page, in the macros of man(7). */
export async function manPage(program: LazyCommand): Promise<string> {
  const commands = await leavesOf(program);
  const parts = [
    '.\\" Made from the definitions of the commands: npm run docs',
    '.TH STAGE 1 "" "stage" "User Commands"',
    '.SH NAME',
    'stage \\- stage writes to PostgreSQL, review them, and apply them in one transaction',
    '.SH SYNOPSIS',
    '.B stage',
    '.I command',
    '[\\fIoptions\\fR] [\\fIarguments\\fR]',
    '.SH DESCRIPTION',
    roff(program.description()),
    '.SH OPTIONS OF ALL COMMANDS',
    ...optionParts(program),
    '.SH COMMANDS',
    ...commands.flatMap(commandParts),
    ...Object.entries(topics).flatMap(([name, { text }]) => [
      `.SH ${name.replace('-', ' ').toUpperCase()}`,
      ...verbatim(text.trimEnd()),
    ]),
  ];
  return `${parts.join('\n')}\n`;
}

function commandParts(command: Command): string[] {
  return [
    `.SS "${roff(spelling(command))}"`,
    roff(command.description()),
    ...optionParts(command),
    ...verbatim(examplesOf(command)),
  ];
}

function optionParts(command: Command): string[] {
  const help = command.createHelp();
  return shownOptions(command).flatMap((option) => [
    '.TP',
    `.B ${roff(option.flags)}`,
    roff(help.optionDescription(option)),
  ]);
}

/** Returns the options of a command. Only the program itself lists --help. */
function shownOptions(command: Command) {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => command.parent === null || long !== '--help');
}

/** Returns the examples, which are the first part of a command's help. */
function examplesOf(command: Command): string {
  const shown: string[] = [];
  command.configureOutput({ writeOut: (text) => shown.push(text) }).outputHelp();
  return /^Examples:\n[\s\S]*?(?=\n+Usage:)/.exec(shown.join(''))?.[0] ?? '';
}

function verbatim(text: string): string[] {
  return text === '' ? [] : ['.PP', '.nf', ...text.split('\n').map(roff), '.fi'];
}

/** Escapes the commands of roff. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&')
    .replaceAll('"', '\\(dq');
}

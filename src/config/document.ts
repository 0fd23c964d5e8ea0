/** Generates documentation from the table of options: docs/configuration.md and the template of a configuration file. */
import { showValue } from './describe.ts';
import { options, settingNames } from './schema.ts';
import type { Option } from './types.ts';

/** Generates the settings of docs/configuration.md, with a heading each: a table would be too wide for a terminal. */
export function configReference(): string {
  return settingNames.map((name) => settingText(options[name])).join('\n');
}

function settingText(option: Option): string {
  const facts = [
    ['flag', option.flag && code(option.flag)],
    ['environment', option.env.map(code).join(', ')],
    ['default', shownDefault(option)],
  ].filter(([, value]) => value);
  return [
    `### ${code(option.key)}\n`,
    `${wrap(option.sentence)}\n`,
    ...facts.map(([what, value]) => `- ${what}: ${value}`),
    '',
  ].join('\n');
}

/** Generates the lists in docs/configuration.md of what a project's file may set after trust, and without. */
export function trustLists(): string {
  const list = (needsTrust: boolean, title: string) => [
    `${title}:\n`,
    ...settingNames
      .map((name) => options[name])
      .filter(({ project }) => project.needsTrust === needsTrust)
      .map(({ key, project }) => wrap(`- ${code(key)}: ${project.why}`, '  ')),
    '',
  ];
  return [...list(true, 'After `stage trust`'), ...list(false, 'As it is')].join('\n');
}

const code = (text: string) => `\`${text}\``;

/** Width of a terminal in columns. */
const width = 80;

/** Wraps a text between words. All lines but the first get the indent. */
function wrap(text: string, indent = ''): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(indent + word);
  }
  return lines.join('\n');
}

function shownDefault(option: Option): string {
  if (option.defaultText) return option.defaultText;
  return option.default === null
    ? ''
    : code(showValue(option, option.default).replace(/^"(.*)"$/, '$1'));
}

const head = `# Configuration of stage. Every option stands here with its default; take the # away to change it.
#
# Read as stage.config.yaml (or .stagerc, .config/stagerc) from the project's folder, as config.yaml from
# ~/.config/stage, or with --config FILE. A flag counts before the environment, that before the project's file,
# that before the user's. JSON will do too.
`;

/** Generates templates/config/stage.config.yaml. */
export function configTemplate(): string {
  const blocks = settingNames.map((name) => {
    const option = options[name];
    const ways = [option.flag, ...option.env].filter(Boolean).join(', ');
    const { needsTrust, why } = option.project;
    const limits = needsTrust ? [`# In a project's file once that is trusted: ${why}.`] : [];
    return [
      `# ${option.sentence}`,
      `# ${[ways, option.type.wanted].filter(Boolean).join(': ')}`,
      ...limits,
      `#${templateValue(option)}`,
    ].join('\n');
  });
  return `${head}\n${blocks.join('\n\n')}\n`;
}

function templateValue(option: Option): string {
  const note = option.defaultText ? `  # ${option.defaultText}` : '';
  const value = option.default === '' ? 'null' : showValue(option, option.default);
  return `${option.key}: ${value}${note}`;
}

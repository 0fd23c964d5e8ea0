/** The documentation of the options, written from their table: docs/configuration.md, and the template of a configuration file. */
import { showValue } from './describe.ts';
import { options, settingNames } from './schema.ts';
import type { Option } from './types.ts';

/** Writes the table of docs/configuration.md. */
export function configTable(): string {
  const rows = settingNames.map((name) => {
    const option = options[name];
    const flag = option.flag ? code(option.flag) : '';
    const variables = option.env.map(code).join(', ');
    return `| ${[code(option.key), flag, variables, tableDefault(option), option.sentence].join(' | ')} |`;
  });
  return ['| Key | Flag | Environment | Default | |', '|---|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}

/** Writes the tables of docs/configuration.md that tell what a project's file sets after trust, and what as it is. */
export function trustTables(): string {
  const table = (needsTrust: boolean, title: string) => [
    `| ${title} | |`,
    '|---|---|',
    ...settingNames
      .map((name) => options[name])
      .filter(({ project }) => project.needsTrust === needsTrust)
      .map(({ key, project }) => `| ${code(key)} | ${project.why} |`),
    '',
  ];
  return [...table(true, 'After `stage trust`'), ...table(false, 'As it is')].join('\n');
}

const code = (text: string) => `\`${text}\``;

function tableDefault(option: Option): string {
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

/** Writes templates/config/stage.config.yaml. */
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

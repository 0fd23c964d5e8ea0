/** `stage token new`: makes a token, adds its hash to the token file, and prints the token once. */
import { createHash, randomBytes } from 'node:crypto';
import { InvalidArgumentError, Option } from 'commander';
import { StageError } from '../../../errors.ts';
import type { Role, Token } from '../../../model/access.ts';
import { roles, tokenId } from '../../../model/access.ts';
import { stringifyJson } from '../../../model/json.ts';
import { duration } from '../../arguments/duration.ts';
import { defineCommand } from '../../define-command.ts';
import type { TokenFileOption } from '../../token-words.ts';
import { tokenBody, tokenFileOf } from '../../token-words.ts';

interface Options extends TokenFileOption {
  readonly role: Role;
  readonly project?: string;
  readonly databaseRoles?: string;
  readonly expires?: string;
}

export const tokenNewCommand = defineCommand<Options>({
  description:
    'Make a token of the REST API and print it, once. Its hash goes into the token file of the daemon on this machine, which takes it ' +
    'within two seconds. The name is an identity: whoever gets a token of an old name sees the sessions of that name.',
  arguments: [['<name>', 'who is to have it']],
  options: [
    new Option('--role <role>', 'what it may do').choices(roles).makeOptionMandatory(true),
    ['-p, --project <names>', 'the only projects that it is valid for, separated by commas'],
    ['--database-roles <names>', 'further database roles of the same person'],
    new Option(
      '--expires <when>',
      'until when it is valid: a time from now such as 90d, a date, or a moment in ISO 8601',
    ).argParser(moment),
    ['--token-file <file>', 'the token file of the daemon'],
  ],
  examples: [
    'stage token new ann --role reviewer --database-roles ann_admin,ann_2',
    'stage token new shop-bot --role agent --project shop --expires 90d',
    'STAGE_TOKEN=$(stage token new ci --role author --expires 2027-01-01)',
  ],
  work: async (context, options, name = '') => {
    const { changeTokenFile } = await import('../../../config/token-file.ts');
    const { out } = context;
    const secret = `stage_${randomBytes(32).toString('base64url')}`;
    const { line, token } = await lineFor(secret, name, options);
    const former: Token[] = [];
    changeTokenFile(await tokenFileOf(context, options), (lines) => {
      for (const each of lines) if (each.token?.name === name) former.push(each.token);
      return [...lines.map(({ text }) => text), line];
    });
    if (out.json) return out.document(stringifyJson({ ...tokenBody(token), token: secret }));
    await out.line(secret);
    await out.remark('It is shown this once: the file holds its hash.');
    for (const each of former)
      await out.remark(
        `${name} has another token. When nothing uses it any more: stage token revoke ${tokenId(each)}`,
      );
  },
});

/** Returns the line of a token. @throws StageError `usage` for values that cannot be in a line of the file */
async function lineFor(
  secret: string,
  name: string,
  { role, project, databaseRoles, expires }: Options,
): Promise<{ line: string; token: Token }> {
  const { readToken } = await import('../../../config/tokens.ts');
  const line = [
    name,
    project === undefined ? role : `${role}:${project}`,
    databaseRoles === undefined ? [] : `database_roles=${databaseRoles}`,
    expires === undefined ? [] : `expires=${expires}`,
    `sha256:${createHash('sha256').update(secret).digest('hex')}`,
  ]
    .flat()
    .join(' ');
  try {
    const token = readToken(line, '');
    if (token.name === name) return { line, token };
  } catch {
    // reported below, in the command's terms
  }
  throw new StageError('usage', 'a token cannot have that name, project or database role', {
    hint: 'A name has up to 64 letters, digits and any of _.@-; projects and database roles have no blanks and no commas.',
  });
}

/** Parses a future time, or a duration from now. Returns it in UTC, to the second. */
function moment(text: string): string {
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : Date.now() + duration(text);
  if (Number.isNaN(time) || time <= Date.now())
    throw new InvalidArgumentError('It must be a time in the future, such as 90d or 2030-12-31.');
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

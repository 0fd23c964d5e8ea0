/** `stage trust`: marks the configuration of a project, or the cluster in a directory, as the user's. */
import { resolve } from 'node:path';
import { sanitize } from '../../../client/sanitize.ts';
import type { Subject } from '../../../config/trust.ts';
import { StageError } from '../../../errors.ts';
import { stringifyJson } from '../../../model/json.ts';
import type { Context } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { interruptible } from '../../interrupt.ts';
import { ask, hasTerminal } from '../../prompt.ts';

interface Options {
  readonly list?: true;
  readonly revoke?: true;
  readonly yes?: true;
}

type State = 'trusted' | 'changed' | 'gone' | 'revoked';
type Row = Pick<Subject, 'kind' | 'path'> & { readonly state: State };

export const trustCommand = defineCommand<Options>({
  description:
    "Confirm once that a project's configuration file is yours, with its present content: its settings for other servers, programs, " +
    'secrets and approvals take effect from then on, until the file changes. For a directory of an embedded PostgreSQL, confirm that its ' +
    'cluster may be started. Read the file first: a stranger may have written it.',
  arguments: [
    [
      '[path]',
      "configuration file, or directory of an embedded PostgreSQL (default: the project's file)",
    ],
  ],
  options: [
    ['--list', 'list what is trusted, and whether it is unchanged'],
    ['--revoke', 'trust it no longer'],
    ['-y, --yes', 'do not ask before a cluster is adopted'],
  ],
  examples: [
    "stage trust                          the project's file that counts in this directory",
    'stage trust ../shop/stage.config.yaml',
    'stage trust ./data                   adopt an embedded PostgreSQL that an earlier release made',
    'stage trust --list',
    'stage trust --revoke ./data',
  ],
  work: async (context, options, path) => {
    if (options.list) await list(context);
    else if (options.revoke) await revoke(context, path);
    else return trust(context, options, path);
    return 0;
  },
});

async function trust(context: Context, options: Options, path?: string): Promise<number> {
  const { readConfigFile } = await import('../../../config/files.ts');
  const { clusterAt, fileSubject, trust: remember } = await import('../../../config/trust.ts');
  const { env } = context.host;
  const place = await placeOf(context, path);
  const cluster = clusterAt(place);
  if (cluster !== null) {
    if (!(await isAgreed(context, options, cluster))) return 1;
    remember(env, cluster);
    await report(context, [{ ...cluster, state: 'trusted' }]);
    return 0;
  }
  const file = readConfigFile(place);
  if (file.content === null) {
    throw new StageError('not_found', `${place} cannot be trusted: ${file.fault}`, {
      hint: 'Name a configuration file, or the directory of an embedded PostgreSQL.',
    });
  }
  await explain(context, file.content);
  const subject = fileSubject(file);
  remember(env, subject);
  await report(context, [{ ...subject, state: 'trusted' }]);
  return 0;
}

async function revoke(context: Context, path?: string): Promise<void> {
  const { canonicalPath, listTrust, realPath, revokeTrust } = await import(
    '../../../config/trust.ts'
  );
  const { env } = context.host;
  const place = await placeOf(context, path);
  const names = [canonicalPath(place), realPath(place)];
  const known = listTrust(env).filter(({ path: each }) => names.includes(each));
  if (known.length === 0) {
    throw new StageError('not_found', `${place} is not trusted`, {
      hint: 'See `stage trust --list`.',
    });
  }
  for (const { path: each } of known) revokeTrust(env, each);
  await report(
    context,
    known.map((subject) => ({ ...subject, state: 'revoked' })),
  );
}

async function list(context: Context): Promise<void> {
  const { listTrust, subjectAt } = await import('../../../config/trust.ts');
  const rows = listTrust(context.host.env).map((subject): Row => {
    const now = subjectAt(subject.path);
    const state = now === null ? 'gone' : now.content === subject.content ? 'trusted' : 'changed';
    return { ...subject, state };
  });
  await report(context, rows);
  if (rows.length === 0) await context.out.remark('Nothing is trusted.');
}

/** Returns the absolute path. @throws StageError `not_found` if no path is given and the project has no file */
async function placeOf({ host }: Context, path?: string): Promise<string> {
  if (path !== undefined) return resolve(host.cwd(), path);
  const { readProjectFile } = await import('../../../config/files.ts');
  const file = readProjectFile(host.cwd());
  if (file !== null) return file.path;
  throw new StageError('not_found', 'there is no configuration file of a project here', {
    hint: 'Name one: stage trust FILE.',
  });
}

/** Explains which settings take effect by trusting a file. */
async function explain(
  { out }: Context,
  content: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { options, settingNames } = await import('../../../config/schema.ts');
  const meant = settingNames.map((name) => options[name]).filter(({ key }) => key in content);
  for (const { key, project } of meant.filter((each) => each.project.needsTrust))
    await out.remark(`${key}: ${project.why}`);
}

async function isAgreed(
  { host, out }: Context,
  { yes }: Options,
  { path }: Subject,
): Promise<boolean> {
  if (yes) return true;
  const meaning = `${sanitize(path)} holds a PostgreSQL cluster. Whoever wrote its configuration can have programs run as you.`;
  if (!hasTerminal(host, out)) {
    throw new StageError('usage', meaning, {
      hint: 'If your `stage` made it, repeat the command with --yes.',
    });
  }
  await out.note(meaning);
  const answer = await interruptible(host, (interruption) =>
    ask(host, 'Did you make it with stage? Type yes to adopt it: ', interruption),
  );
  if (answer !== 'yes') await out.note('Nothing was done.');
  return answer === 'yes';
}

const columns = ['state', 'kind', 'path'].map((title) => ({ title }));

async function report({ out }: Context, rows: readonly Row[]): Promise<void> {
  const subjects = rows.map(({ kind, path, state }) => ({ kind, path, state }));
  if (out.json) return out.document(stringifyJson({ subjects }));
  if (rows.length > 0)
    await out.table(
      columns,
      subjects.map(({ kind, path, state }) => [state, kind, sanitize(path)]),
    );
}

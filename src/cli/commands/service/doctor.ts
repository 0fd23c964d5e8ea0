/** `stage doctor`: examines the upstream database for ways around review, and for writes that cannot be staged. */
import { sanitize } from '../../../client/sanitize.ts';
import type { Finding, FittingSettings } from '../../../daemon/doctor/examine.ts';
import { stringifyJson } from '../../../model/json.ts';
import { upstreamOf } from '../../arguments/upstream-url.ts';
import type { Context } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import type { Output } from '../../output/output.ts';

interface Options {
  readonly upstream?: string;
  readonly role?: string;
  readonly printRole?: string | true;
  readonly printService?: string | true;
}

/** The maximum number of subjects that a finding lists for people; --json lists all. */
const shown = 5;

export const doctorCommand = defineCommand<Options>({
  description:
    'Examine the upstream database: the service account, the server, the tables and, with --role, what clients could do ' +
    'around the proxy. Changes nothing. Ends with exit code 1 when there is danger.',
  options: [
    ['--upstream <url>', 'connection URL of the service account'],
    ['--role <name>', 'role that clients log in with'],
    ['--print-role [name]', 'print the SQL that makes a role for clients, then stop'],
    [
      '--print-service [name]',
      'print the SQL that makes the service account and grants what it needs, then stop',
    ],
  ],
  examples: [
    'stage doctor --upstream postgresql://stage@db.internal/shop',
    'stage doctor --role agent          what could this role do around the proxy?',
    'stage doctor --role agent --json',
    'stage doctor --print-role agent --upstream ...       the SQL that makes a role as clients should have it',
    'stage doctor --print-service stage --upstream ...    the SQL that makes the service account',
  ],
  work: doctor,
});

async function doctor(context: Context, options: Options): Promise<number> {
  const upstream = await upstreamOf(context, options.upstream);
  const { printRole, printService } = options;
  if (printRole === undefined && printService === undefined)
    return examineUpstream(context, upstream, options.role ?? null);
  const { createDatabase } = await import('../../../db/database.ts');
  const { clientRoleSql, serviceRoleSql } = await import('../../../daemon/doctor/roles.ts');
  const { primaryUrl } = await import('../../../db/host-route.ts');
  const url = await primaryUrl(upstream.url);
  const db = createDatabase({ url, maxConnections: 1, anySettings: true });
  const named = (name: string | true, usual: string) => (name === true ? usual : name);
  try {
    if (printService !== undefined)
      await context.out.write(await serviceRoleSql(db, named(printService, 'stage_service')));
    if (printRole !== undefined)
      await context.out.write(await clientRoleSql(db, named(printRole, 'agent')));
    return 0;
  } finally {
    await db.close();
  }
}

interface Examined {
  readonly url: string;
  readonly settings: FittingSettings;
}

/** Examines an upstream database, prints the findings, and returns the exit code. @param role the role of clients; null skips its checks */
export async function examineUpstream(
  context: Context,
  { url: given, settings }: Examined,
  role: string | null,
): Promise<number> {
  const { createDatabase } = await import('../../../db/database.ts');
  const { examine } = await import('../../../daemon/doctor/examine.ts');
  const { checkServer } = await import('../../../daemon/upstream/upstream-check.ts');
  const { reachable } = await import('../../../daemon/upstream/login-hints.ts');
  const { primaryUrl } = await import('../../../db/host-route.ts');
  const url = await primaryUrl(given);
  const open = () => createDatabase({ url, maxConnections: 1, anySettings: true });
  const db = open();
  try {
    await reachable(url, () => checkServer(db));
    const findings = await examine({ db, open, settings }, role);
    await report(context, findings, role ?? undefined);
    return findings.some(({ level }) => level === 'danger') ? 1 : 0;
  } finally {
    await db.close();
  }
}

async function report(
  { out }: Context,
  findings: readonly Finding[],
  role: string | undefined,
): Promise<void> {
  const ok = !findings.some(({ level }) => level === 'danger');
  if (out.json) {
    const list = findings.map(({ name, level, message, hint, subjects }) => ({
      check: name,
      level,
      message,
      about: [...subjects],
      hint,
    }));
    await out.document(stringifyJson({ ok, role: role ?? null, findings: list }));
    return;
  }
  if (out.terminal) await out.lines(findings.flatMap((finding) => paragraph(finding, out)));
  else await out.table(columns, findings.map(cells));
  await out.remark(ok ? 'No danger found.' : 'There is danger: clients can bypass review.');
  if (role === undefined)
    await out.remark('With --role NAME it examines the role of clients, too.');
}

const columns = ['level', 'check', 'finding', 'about', 'what to do'].map((title) => ({ title }));

function cells({ level, name, message, subjects, hint }: Finding): string[] {
  return [level, name, message, about(subjects), hint];
}

function paragraph({ level, name, message, subjects, hint }: Finding, { paint }: Output): string[] {
  const head = `${paint(paints[level], level.padEnd(8))} ${message} ${paint('faint', `(${name})`)}`;
  return [head, `         ${about(subjects)}`, `         ${hint}`];
}

const paints = { danger: 'failure', warning: 'heading', note: 'faint' } as const;

function about(subjects: readonly string[]): string {
  const more = subjects.length - shown;
  const named = sanitize(subjects.slice(0, shown).join(', '));
  return more > 0 ? `${named} and ${more} more` : named;
}

/** `stage uninstall`: removes everything of the service from the upstream database. */
import { sanitize } from '../../../client/sanitize.ts';
import type { Removal } from '../../../daemon/uninstall.ts';
import { stringifyJson } from '../../../model/json.ts';
import { upstreamOf } from '../../arguments/upstream-url.ts';
import type { Context } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { interruptible } from '../../interrupt.ts';
import { ask, demandTerminal } from '../../prompt.ts';

interface Options {
  readonly upstream?: string;
  readonly printSql?: true;
  readonly force?: true;
  readonly yes?: true;
}

export const uninstallCommand = defineCommand<Options>({
  description:
    'Drop the schemas of the service from the upstream database, with all sessions and the audit. Production stays as it is. ' +
    'Refused while a session is active or proposed, or a daemon serves the database. Asks in a terminal; elsewhere it needs --yes.',
  options: [
    ['--upstream <url>', 'connection URL of the service account'],
    ['--print-sql', 'print the SQL that does it, then stop'],
    ['--force', 'also with undecided sessions, and while a daemon serves the database'],
    ['-y, --yes', 'do not ask'],
  ],
  examples: [
    'stage uninstall --upstream postgresql://stage@db.internal/shop',
    'stage uninstall --print-sql > uninstall.sql    for an administrator to read and run',
    'stage uninstall --yes',
    'stage uninstall --force --yes                  also with sessions that nobody has decided',
  ],
  work: uninstall,
});

async function uninstall(context: Context, options: Options): Promise<number> {
  const { out } = context;
  const { createDatabase } = await import('../../../db/database.ts');
  const { planRemoval, refuseLoss, remove } = await import('../../../daemon/uninstall.ts');
  const { primaryUrl } = await import('../../../db/host-route.ts');
  const url = await primaryUrl((await upstreamOf(context, options.upstream)).url);
  const db = createDatabase({ url, maxConnections: 1 });
  try {
    const removal = await planRemoval(db);
    if (options.printSql) {
      await out.write(removal.script);
      return 0;
    }
    if (!options.force) refuseLoss(removal);
    if (!options.yes && removal.schemas.length > 0 && !(await agreed(context, removal))) return 1;
    await remove(db, removal);
    await report(context, removal);
    return 0;
  } finally {
    await db.close();
  }
}

/** Asks for confirmation. Only the full name of the database confirms, as the audit is dropped, too. */
async function agreed({ host, out }: Context, removal: Removal): Promise<boolean> {
  demandTerminal(host, out);
  const { schemas, entries, undecided, database } = removal;
  await out.note(
    `${schemas.length} schemas of the service in database ${sanitize(database)}: ${undecided} undecided sessions, ${entries} entries of the audit.`,
  );
  const answer = await interruptible(host, (interruption) =>
    ask(host, 'Remove them all? Type the name of the database to go on: ', interruption),
  );
  const isMeant = answer === database;
  if (!isMeant) await out.note('Nothing was done.');
  return isMeant;
}

async function report({ out }: Context, { schemas, database }: Removal): Promise<void> {
  if (out.json) {
    await out.document(stringifyJson({ database, removed: [...schemas] }));
    return;
  }
  for (const schema of schemas)
    await out.line(out.terminal ? `Dropped schema ${schema}.` : `${schema}\tdropped`);
  await out.remark(
    schemas.length === 0 ? 'There was nothing of the service.' : 'Roles are left as they were.',
  );
}

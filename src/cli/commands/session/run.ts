/** `stage run`: runs SQL scripts in a session. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { sanitize } from '../../../client/sanitize.ts';
import type { Script } from '../../../db/script.ts';
import { StageError } from '../../../errors.ts';
import { resolveSession } from '../../arguments/session-argument.ts';
import { withServer } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import type { Host } from '../../host.ts';
import { libpqUrl, targetOf } from '../../output/connection-string.ts';

interface Options {
  readonly user?: string;
}

export const runCommand = defineCommand<Options>({
  description:
    'Run SQL scripts in a session, each as one transaction, up to the first that fails. Scripts go to the server as they are: ' +
    'commands of psql do not work in them, so a script from somebody else can do no more than its SQL.',
  arguments: [['<files...>', 'SQL scripts in UTF-8']],
  options: [['--user <role>', 'database role (default: PGUSER, else the name of your account)']],
  examples: [
    'stage run change.sql',
    'stage run --session sess_2f0c... changes/1.sql changes/2.sql',
  ],
  work: async (context, { user }, ...files) => {
    const { connectForScripts, readScript } = await import('../../../db/script.ts');
    const scripts: Script[] = [];
    for (const file of files) scripts.push(readScript(file, await read(context.host, file)));
    return withServer(context, async (connection) => {
      const id = await resolveSession(context, connection, undefined);
      const { value: info } = await connection.api.info();
      const target = targetOf(context.host, connection.settings.server, info, id, { user });
      const session = await connectForScripts(libpqUrl(context.host, target));
      connection.interruption.signal.addEventListener('abort', () => void session.close());
      try {
        for (const script of scripts)
          for (const notice of await session.run(script))
            await context.out.note(sanitize(`${script.name}: ${notice}`));
      } finally {
        await session.close();
      }
    });
  },
});

async function read(host: Host, file: string): Promise<Buffer> {
  return readFile(resolve(host.cwd(), file)).catch((cause: NodeJS.ErrnoException) => {
    throw new StageError('usage', `cannot read ${file}: ${cause.code ?? cause.message}`, {
      hint: 'Name the files of SQL: `stage run change.sql`.',
      cause,
    });
  });
}

/** `stage init`: writes the files a deployment begins with. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Option } from 'commander';
import { StageError } from '../../errors.ts';
import type { Context } from '../context.ts';
import type { ConfigureCommand } from '../run.ts';
import { examples } from '../run.ts';

interface Options {
  readonly printSql?: true;
  readonly service?: keyof typeof services;
  readonly force?: true;
}

const services = { systemd: 'stage.service', compose: 'docker-compose.yaml' } as const;

const help = examples([
  'stage init',
  'stage init --print-sql > stage.sql',
  'stage init --service systemd',
]);

export const configureInit: ConfigureCommand = (command, run) => {
  command
    .description(
      'Write stage.config.yaml, with every setting explained, into this directory. ' +
        'With --print-sql print everything the service would create in the upstream database, and change nothing.',
    )
    .option('--print-sql', "print the service's schema for a database administrator")
    .addOption(
      new Option('--service <manager>', 'write a service definition instead').choices(
        Object.keys(services),
      ),
    )
    .option('--force', 'overwrite the file')
    .addHelpText('before', help)
    .action(
      run<Options>(async (context, { printSql, service, force }) => {
        if (printSql) return context.out.write(await readSchema());
        return service
          ? copyTemplate(context, 'service', services[service], force)
          : copyTemplate(context, 'config', 'stage.config.yaml', force);
      }),
    );
};

async function readSchema(): Promise<string> {
  const { printMigrations } = await import('../../db/migrate.ts');
  return printMigrations();
}

async function copyTemplate(
  { host, out }: Context,
  folder: string,
  name: string,
  force?: true,
): Promise<void> {
  const text = await readFile(new URL(`../../../templates/${folder}/${name}`, import.meta.url));
  const target = join(host.cwd(), name);
  await writeFile(target, text, { flag: force ? 'w' : 'wx' }).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause;
      throw new StageError('usage', `${target} is there already`, {
        hint: 'Overwrite it with --force.',
        cause,
      });
    },
  );
  await out.line(target);
}

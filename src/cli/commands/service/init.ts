/** `stage init`: writes the initial files of a deployment. */
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Option } from 'commander';
import { StageError } from '../../../errors.ts';
import { defineCommand } from '../../define-command.ts';

interface Options {
  readonly printSql?: true;
  readonly service?: keyof typeof services;
  readonly ci?: keyof typeof pipelines;
  readonly force?: true;
}

/** Templates and their target paths, relative to the current directory. */
type Files = Readonly<Record<string, string>>;

const services = {
  systemd: { 'service/stage.service': 'stage.service' },
  compose: {
    'service/docker-compose.yaml': 'docker-compose.yaml',
    'service/Dockerfile': 'Dockerfile',
  },
  kubernetes: { 'service/kubernetes.yaml': 'kubernetes.yaml', 'service/Dockerfile': 'Dockerfile' },
} as const satisfies Record<string, Files>;

const pipelines = {
  github: {
    'ci/stage-change.sh': '.github/stage-change.sh',
    'ci/stage-change.yml': '.github/workflows/stage-change.yml',
  },
} as const satisfies Record<string, Files>;

const configuration: Files = { 'config/stage.config.yaml': 'stage.config.yaml' };

export const initCommand = defineCommand<Options>({
  description:
    'Write stage.config.yaml, with every setting explained, into this directory. ' +
    'With --print-sql print everything the service would create in the upstream database, and change nothing.',
  options: [
    ['--print-sql', "print the service's schema for a database administrator"],
    new Option('--service <manager>', 'write a service definition instead').choices(
      Object.keys(services),
    ),
    new Option('--ci <host>', 'write a pipeline that takes changes through review instead').choices(
      Object.keys(pipelines),
    ),
    ['--force', 'overwrite files that are there'],
  ],
  examples: [
    'stage init',
    'stage init --print-sql > stage.sql',
    'stage init --service kubernetes',
    'stage init --ci github',
  ],
  work: async (context, { printSql, service, ci, force }) => {
    if (printSql) return context.out.write(await readSchema());
    const files = service ? services[service] : ci ? pipelines[ci] : configuration;
    const copies = Object.entries(files).map(([name, place]) => ({
      template: new URL(`../../../../templates/${name}`, import.meta.url),
      place: join(context.host.cwd(), place),
    }));
    if (!force) await demandFree(copies);
    for (const copy of copies) await copyTemplate(copy);
    await context.out.lines(copies.map(({ place }) => place));
  },
});

async function readSchema(): Promise<string> {
  const { printMigrations } = await import('../../../db/migrate.ts');
  return printMigrations();
}

interface Copy {
  readonly template: URL;
  readonly place: string;
}

/**
 * Checks that no other file is in one of the places. An identical file is allowed, as two services share one.
 * @throws StageError `usage` otherwise, before anything is written
 */
async function demandFree(copies: readonly Copy[]): Promise<void> {
  for (const { template, place } of copies) {
    const there = await readIfThere(place);
    if (there === null || there.equals(await readFile(template))) continue;
    throw new StageError('usage', `${place} is there already`, {
      hint: 'Overwrite it: repeat the command with --force.',
    });
  }
}

/** Reads a file; null if it does not exist. A file that cannot be read counts as different from every template. */
async function readIfThere(place: string): Promise<Buffer | null> {
  return readFile(place).catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' ? null : Buffer.alloc(0),
  );
}

async function copyTemplate({ template, place }: Copy): Promise<void> {
  await mkdir(dirname(place), { recursive: true });
  // keeps the template's mode, so that scripts stay executable
  await copyFile(template, place);
}

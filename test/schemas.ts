/**
 * Schemas that others wrote, staged and compared with direct execution: `npm run schemas -- [--search-path NAMES] [--tables PATTERN] <file> ...`. Each table
 * gets two rows, then ordinary writes, through one session and on a twin. Then the session is approved and reverted. The files are those of
 * public applications, such as `db/structure.sql`, or of `pg_dump --schema-only`, and are not part of this repository. Where an application
 * sets a search path for its connections, the databases get it by --search-path. --tables chooses those whose names match a regular
 * expression. STAGE_TEST_PG sets the major version.
 */
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { dropLeftovers } from './helpers/database.ts';
import { startProxied } from './helpers/proxied.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';
import type { Compared } from './schemas/compare.ts';
import { compareSchema } from './schemas/compare.ts';

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { 'search-path': { type: 'string' }, tables: { type: 'string', default: '' } },
});
const searchPath = values['search-path']?.split(',').map((name) => name.trim()) ?? [];
if (files.length === 0) {
  process.stdout.write(
    'usage: npm run schemas -- [--search-path NAMES] [--tables PATTERN] <file> ...\n',
  );
  process.exit(2);
}
const file = `schemas_${process.pid}`;
process.env['STAGE_TEST_FILE'] = file;
const server = await startTestServer(
  process.env['STAGE_TEST_UPSTREAM'],
  process.env['STAGE_TEST_PG'] || defaultMajor,
);
process.env['STAGE_TEST_UPSTREAM'] = server.url;

function report(name: string, compared: Compared): void {
  const { tables, triggers, rows, equal, refused, differing, loadErrors, life } = compared;
  const counts = [name, `${tables} (${triggers})`, rows, equal, refused.length, differing.length];
  process.stdout.write(`| ${counts.join(' | ')} | ${life.join('; ')} |\n`);
  const list = (title: string, texts: readonly string[]) =>
    texts.length === 0 ? '' : `  ${title}\n${texts.map((text) => `    ${text}\n`).join('')}`;
  process.stdout.write(
    list('not loaded', loadErrors) + list('refused', refused) + list('differing', differing),
  );
}

try {
  process.stdout.write(
    '| schema | tables (with triggers) | rows | equal | refused | differ | life |\n|---|---|---|---|---|---|---|\n',
  );
  for (const each of files) {
    const proxied = await startProxied('');
    try {
      const compared = await compareSchema(proxied, resolve(each), {
        searchPath,
        wanted: new RegExp(values.tables),
        tell: (text) => process.stderr.write(`${text}\n`),
      });
      report(basename(each), compared);
      if (compared.differing.length > 0) process.exitCode = 1;
    } finally {
      await proxied.stop();
    }
  }
} finally {
  await dropLeftovers(server.url, file);
  await server.stop();
}

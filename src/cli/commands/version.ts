/** `stage version`: prints all versions that matter when components do not work together. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { textCell } from '../../client/cell.ts';
import { StageError } from '../../errors.ts';
import { stringifyJson } from '../../model/json.ts';
import type { ServerInfo } from '../../model/service.ts';
import { readPackage } from '../../package-version.ts';
import type { Context } from '../context.ts';
import { withServer } from '../context.ts';
import { defineCommand } from '../define-command.ts';

export const versionCommand = defineCommand({
  description:
    'Show the versions of this program, of Node.js and of the optional packages and, where it can be reached, ' +
    'of the daemon and its PostgreSQL.',
  examples: ['stage version', 'stage version --json'],
  work: async (context) => {
    const service = await serviceInfo(context);
    const { out } = context;
    const { version, optionalDependencies = {} } = readPackage();
    const optional = Object.fromEntries(
      Object.keys(optionalDependencies).map((name) => [name, installedVersion(name)]),
    );
    const node = process.versions.node;
    const platform = `${process.platform}-${process.arch}`;
    if (out.json) {
      const shown = service && {
        version: service.version,
        postgresql: service.postgresql ?? null,
      };
      return out.document(
        stringifyJson({ stage: version, node, platform, optional, service: shown }),
      );
    }
    const absent = 'not reached';
    await out.record([
      ['stage', version],
      ['node', node],
      ['platform', platform],
      ...Object.entries(optional).map(([name, found]): [string, string] => [
        name,
        found ?? 'not installed',
      ]),
      ['daemon', service === null ? absent : textCell(service.version)],
      ['postgresql', service?.postgresql ? textCell(service.postgresql) : absent],
    ]);
  },
});

/** Returns what the daemon reports about itself; null if it cannot be reached or refuses the caller. */
async function serviceInfo(context: Context): Promise<ServerInfo | null> {
  try {
    return await withServer(context, async ({ api }) => (await api.info()).value);
  } catch (error) {
    if (error instanceof StageError) return null;
    throw error;
  }
}

function installedVersion(name: string): string | null {
  const require = createRequire(import.meta.url);
  const folders = require.resolve.paths(name) ?? [];
  for (const folder of folders) {
    try {
      return (require(join(folder, name, 'package.json')) as { version: string }).version;
    } catch {
      // the next folder may have it
    }
  }
  return null;
}

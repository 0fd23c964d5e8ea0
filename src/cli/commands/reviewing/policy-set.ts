/** `stage policy set`: sets the policy from a file. */

import { resolve } from 'node:path';
import { setPolicy, showPolicy } from '../../../client/policy.ts';
import { StageError } from '../../../errors.ts';
import { JsonText } from '../../../model/json.ts';
import { withServer } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';

interface Options {
  readonly after?: string;
  readonly message?: string;
}

export const policySetCommand = defineCommand<Options>({
  description:
    'Set the policy from a file of JSON or YAML, for all daemons. It is a new version, and counts from the next proposal and approval on. ' +
    'Keys and names that mean nothing are refused with their place. Takes a token of an operator.',
  arguments: [['<file>', 'the document: policy.json, policy.yaml']],
  options: [
    ['--after <version>', 'only if the newest version is this one (default: the one it is now)'],
    ['-m, --message <text>', 'why, for the history'],
  ],
  examples: [
    'stage policy set policy.yaml',
    'stage policy set policy.json --after 7 -m "two for billing"',
  ],
  work: async (context, { after, message }, file = '') => {
    const document = await readDocument(resolve(context.host.cwd(), file));
    await withServer(context, async ({ api }) => {
      const seen = after ?? (await showPolicy(api)).value.version;
      const { body, value } = await setPolicy(api, document, seen, message);
      if (context.out.json) await context.out.document(body);
      else await context.out.line(`The policy is at version ${value.version}.`);
    });
  },
});

/** Reads a document as data only, as configuration files are read. @throws StageError `usage` */
async function readDocument(path: string): Promise<JsonText> {
  const { readConfigFile } = await import('../../../config/files.ts');
  const { content, fault = 'it must hold keys and values' } = readConfigFile(path);
  if (content !== null) return new JsonText(JSON.stringify(content));
  throw new StageError('usage', `the file ${path} cannot be read: ${fault}`, {
    hint: 'Give a file of JSON or YAML, such as policy.yaml.',
  });
}

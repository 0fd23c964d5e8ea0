/** `stage policy show`: prints the document that counts now, as `stage policy set` takes it. */
import { showPolicy } from '../../../client/policy.ts';
import { safeJson } from '../../../client/sanitize.ts';
import { defineServerCommand } from '../../define-command.ts';

export const policyShowCommand = defineServerCommand({
  description:
    'Show the policy that counts now. Prints the document alone; --json adds its version, and who set it.',
  examples: ['stage policy show', 'stage policy show > policy.json'],
  work: async ({ context, connection: { api } }) => {
    const { body, value } = await showPolicy(api);
    if (context.out.json) return context.out.document(body);
    await context.out.line(safeJson(value.document.text));
    await context.out.remark(
      value.version === '0' ? 'No policy was ever set.' : `It is version ${value.version}.`,
    );
  },
});

/** `stage audit verify`: recomputes the hash chain. */

import { sanitize } from '../../../client/sanitize.ts';
import type { AuditVerdict } from '../../../model/service.ts';
import { defineServerCommand } from '../../define-command.ts';
import { grouped, withProgress } from '../../progress.ts';

export const auditVerifyCommand = defineServerCommand<{ checkpoint?: string }>({
  description:
    'Recompute the hash chain of the record. Ends with exit code 1 and the first bad entry if it was changed. ' +
    'With --checkpoint and a head that was noted down elsewhere, it also finds an end that was cut off, and a new chain.',
  options: [['--checkpoint <head>', 'a head that an earlier verification showed']],
  examples: ['stage audit verify', 'stage audit verify --checkpoint sha256:... --json'],
  work: async ({ context, connection: { api } }, { checkpoint }) => {
    const entries = context.out.live ? (await api.auditLength()).value : 0;
    const { body, value } = await withProgress(
      context.out,
      () => `Recomputing the hashes of ${grouped(entries)} entries`,
      () => api.verifyAudit(checkpoint),
    );
    if (context.out.json) await context.out.document(body);
    else await context.out.record(verdictRows(value));
    return value.ok ? 0 : 1;
  },
});

function verdictRows({ ok, entries, approvals, firstBad, head }: AuditVerdict): [string, string][] {
  return [
    ['verdict', ok ? 'intact' : 'CHANGED'],
    ['entries', String(entries)],
    ['approvals', String(approvals)],
    ['head', head === null ? '' : sanitize(head)],
    ...(firstBad
      ? [
          ['first bad', `${sanitize(firstBad.id)}: ${sanitize(firstBad.reason)}`] as [
            string,
            string,
          ],
        ]
      : []),
  ];
}

/** `stage audit show`: shows one applied row change with the row before and after. */

import { nameCell, textCell } from '../../../client/cell.ts';
import type { Row } from '../../../client/values.ts';
import { columnCell, valuesOf } from '../../../client/values.ts';
import { hiddenInWords } from '../../../client/words.ts';
import type { AuditEntry } from '../../../model/audit.ts';
import { defineServerCommand } from '../../define-command.ts';

export const auditShowCommand = defineServerCommand({
  description: 'Show one applied row change with the row before and after.',
  arguments: [['<entry>', 'id of the entry']],
  examples: ['stage audit show aud_17', 'stage audit show aud_17 --json'],
  work: async ({ context, connection: { api } }, _options, id = '') => {
    const { body, value } = await api.getAuditEntry(id);
    if (context.out.json) await context.out.document(body);
    else await context.out.record(entryRows(value));
  },
});

function entryRows(entry: AuditEntry): [string, string][] {
  return [
    ['entry', entry.id],
    ['session', entry.sessionId],
    ['project', textCell(entry.projectId)],
    ['operation', entry.operation],
    ['table', textCell(entry.tableName)],
    ['row', entry.rowId === null ? hiddenInWords : textCell(entry.rowId)],
    ['approved', entry.approvedAt],
    ['approved by', textCell(entry.approvedBy ?? '')],
    ...rowLines('before', valuesOf(entry.oldData, entry.texts, 'old_data')),
    ...rowLines('after', valuesOf(entry.newData, entry.texts, 'new_data')),
    ...rowLines('staged', valuesOf(entry.staged ?? null, undefined, 'staged')),
  ];
}

function rowLines(side: string, row: Row): [string, string][] {
  return [...row].map(([name, value]) => [`${side} ${nameCell(name)}`, columnCell(value)]);
}

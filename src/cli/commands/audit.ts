/** `stage audit`: the append-only record of what was applied to production. */
import type { AddCommand } from '../run.ts';
import { addAuditList } from './audit-list.ts';
import { addAuditShow } from './audit-show.ts';
import { addAuditVerify } from './audit-verify.ts';

export const addAudit: AddCommand = (parent, run) => {
  const audit = parent
    .command('audit')
    .summary('read the record of what was applied')
    .description('Read the append-only record of what was applied to production.');
  for (const add of [addAuditList, addAuditShow, addAuditVerify]) add(audit, run);
};

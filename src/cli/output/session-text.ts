/** Formats sessions as text. */

import { textCell, valueCell } from '../../client/cell.ts';
import { sanitize } from '../../client/sanitize.ts';
import type { Reply } from '../../client/service-client.ts';
import { ageOf, authorOf } from '../../client/session-words.ts';
import { membersOf } from '../../model/json-members.ts';
import type { Session } from '../../model/session.ts';
import type { Output } from './output.ts';

/** Returns a session's fields with their names, without those that are not set. */
export function sessionRows(session: Session): [string, string][] {
  const metadata = [...membersOf(session.metadata)].map(
    ([name, value]) => `${textCell(name)}=${valueCell(value)}`,
  );
  const rows: [string, string | null][] = [
    ['session', session.id],
    ['project', textCell(session.projectId)],
    ['status', session.status],
    ['split from', session.splitFrom && textCell(session.splitFrom)],
    ['rest in', session.remaining && textCell(session.remaining)],
    ['reads', session.reads],
    ['conflict scope', session.conflictScope],
    ['mutations', String(session.mutationCount)],
    ['roles', session.roles.map((role) => textCell(role ?? 'not known')).join(', ') || null],
    ['metadata', metadata.join('  ') || null],
    ['author', authorOf(session) || null],
    ['created', `${session.createdAt} (${ageOf(session.createdAt)} ago)`],
    ['updated', session.updatedAt],
    ['proposed', session.proposedAt],
    ['approved', session.approvedAt],
    ['approved by', session.approvedBy && textCell(session.approvedBy)],
    ['approved as', session.approvedAs && textCell(session.approvedAs)],
    ['rejected', session.rejectedAt],
    ['reason', session.reason && textCell(session.reason)],
    ['scheduled for', session.applyAt],
    ['scheduled as', session.scheduledAs && textCell(session.scheduledAs)],
    ['break glass', session.breakGlass && textCell(session.breakGlass)],
    ['review', session.reviewDue ? 'due' : null],
    ['reviewed', session.reviewedAt],
    ['reviewed as', session.reviewedAs && textCell(session.reviewedAs)],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== null);
}

/** Prints the new state of a session: a sentence for people, id and status for scripts, the body with --json. */
export async function reportOutcome(
  out: Output,
  { body, value }: Reply<Session>,
  next: string,
): Promise<void> {
  if (out.json) return out.document(body);
  if (!out.terminal) return out.line(`${value.id}\t${value.status}`);
  const statements =
    value.mutationCount === 1 ? '1 statement' : `${value.mutationCount} statements`;
  await out.line(`${value.id} is ${out.paint('heading', value.status)} (${statements}).`);
  await out.remark(sanitize(next));
}

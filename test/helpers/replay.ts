/** A session's whole life, to see whether production becomes what the session saw. */

import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import type { Desk } from './desk.ts';
import { diffOf } from './desk.ts';
import { assert } from './suite.ts';

/** Stages and approves, in between whatever the test does; everything has to come out as the session saw it. */
export async function replay(
  desk: Desk,
  statements: string,
  meanwhile?: () => Promise<unknown>,
): Promise<void> {
  const session = await desk.open();
  await desk.stage(session, statements);
  const wanted = await desk.contents(session);
  await proposeSession(desk.service, session);
  const reviewed = await diffOf(desk.service, session);
  assert.equal(await findConflicts(desk.service, session), []);
  await meanwhile?.();
  await approveSession(desk.service, session, { approvedBy: 'me', digest: reviewed.digest });
  assert.equal(await desk.contents(), wanted);
  assert.equal(await diffOf(desk.service, session), reviewed, 'the diff from the audit');
  assert.is(await desk.stagedRows(session), 0);
  assert.equal((await verifyAudit(desk.service)).firstBad, null);
}

/** Runs a session's whole life, to check that production becomes what the session showed. */

import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import type { StagingDatabase } from './staging-database.ts';
import { diffOf } from './staging-database.ts';
import { assert } from './suite.ts';

/** Stages statements, runs `meanwhile`, and approves. The result must be what the session showed. */
export async function replay(
  staging: StagingDatabase,
  statements: string,
  meanwhile?: () => Promise<unknown>,
): Promise<void> {
  const session = await staging.open();
  await staging.stage(session, statements);
  const wanted = await staging.contents(session);
  await proposeSession(staging.service, session);
  const reviewed = await diffOf(staging.service, session);
  assert.equal(await findConflicts(staging.service, session), []);
  await meanwhile?.();
  await approveSession(staging.service, session, { approvedBy: 'me', digest: reviewed.digest });
  assert.equal(await staging.contents(), wanted);
  assert.equal(await diffOf(staging.service, session), reviewed, 'the diff from the audit');
  assert.is(await staging.stagedRows(session), 0);
  assert.equal((await verifyAudit(staging.service)).firstBad, null);
}

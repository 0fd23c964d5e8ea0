/** A made-up session, for tests without a database. */
import { JsonText } from '../../src/model/json.ts';
import type { Session } from '../../src/model/session.ts';

/** The time at which it was created. */
export const madeAt = '2026-01-31T12:00:00.000000Z';

/** Returns an active session without rows, votes or decisions, but for the given members. */
export const madeSession = (given: Pick<Session, 'id'> & Partial<Session>): Session => ({
  projectId: 'default',
  metadata: new JsonText('{}'),
  status: 'active',
  reads: 'production',
  conflictScope: 'row',
  round: 0,
  mutationCount: 0,
  edits: 0,
  lastEvent: '0',
  createdAt: madeAt,
  updatedAt: madeAt,
  proposedAt: null,
  approvedAt: null,
  approvedBy: null,
  rejectedAt: null,
  reason: null,
  createdAs: null,
  proposedAs: null,
  approvedAs: null,
  rejectedAs: null,
  roles: [],
  reverts: null,
  splitFrom: null,
  remaining: null,
  reviewedDigest: null,
  applyAt: null,
  scheduledAs: null,
  breakGlass: null,
  reviewDue: null,
  reviewedAt: null,
  reviewedAs: null,
  ...given,
});

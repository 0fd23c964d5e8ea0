/** Classifies queries: SELECT, VALUES, TABLE, INSERT, UPDATE, DELETE, MERGE. */
import type { Node } from 'libpg-query';
import type { FunctionUse } from '../../functions/calls.ts';
import { withLockedRelations } from '../../locate/locked-relations.ts';
import { findLockingParts } from '../../locate/locking-parts.ts';
import { findLocking } from '../../locate/locking-ranges.ts';
import { locateWholeRows } from '../../locate/whole-rows.ts';
import type { Read } from '../../read.ts';
import type { Refusal } from '../../refusal.ts';
import type { Write } from '../../write.ts';
import { withConditions } from '../condition-calls.ts';
import { plainRead, plainWrite } from '../plain-verdicts.ts';
import { collectUses } from '../query-uses.ts';
import { unclearLocking } from '../refused-parts.ts';
import type { Source } from '../relation-uses.ts';
import { changedRows, placeOfInserted } from '../set-rows.ts';

/** Classifies a query that is a statement, or a part of one such as EXPLAIN. Ranges count from the statement's start. */
export function classifyQuery(query: Node, source: Source): Read | Write | Refusal {
  const uses = collectUses(query, source);
  if (uses.refusal) return uses.refusal;
  // if PostgreSQL refuses a locking clause, it must report that itself
  const count = uses.locksInVain ? 0 : uses.lockingClauses;
  const locking = count > 0 ? findLocking(source.text, count) : [];
  if (!locking) return unclearLocking;
  const { relations, calls, unclear, qualifiers, groupings } = uses;
  const { upserts, overriding, merges, rights } = uses;
  const called = withConditions(query, uses.called, source);
  const draws = calls.functions.some(changesSequence);
  const writes = uses.writes || draws;
  const wholeRows = locateWholeRows(query, relations, source, writes);
  const common = { relations, unclear, called, locking, qualifiers, wholeRows, groupings };
  return writes
    ? plainWrite({
        ...common,
        ...calls,
        lockingParts: findLockingParts(query, { locking, relations }, source),
        upserts,
        overriding,
        merges,
        rights,
        inserts: draws ? null : placeOfInserted(query, rights),
        changes: draws ? null : changedRows(query, rights),
      })
    : withLockedRelations(plainRead({ ...common, functions: calls.functions }), query, source);
}

/** Returns whether a call changes a sequence. Sequences are not staged: they are production's, and staged rows draw keys from them. */
const changesSequence = ({ schema, name }: FunctionUse) =>
  (schema ?? 'pg_catalog') === 'pg_catalog' && ['nextval', 'setval'].includes(name);

/** Classifies a query that must not write; returns `onWrite` if it does. */
export function classifyRead(
  query: Node | undefined,
  source: Source,
  onWrite: Refusal,
): Read | Refusal {
  if (!query) return onWrite;
  const verdict = classifyQuery(query, source);
  return verdict.kind === 'write' ? onWrite : verdict;
}

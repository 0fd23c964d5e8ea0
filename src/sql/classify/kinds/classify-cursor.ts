/** Classifies DECLARE, FETCH, MOVE and CLOSE. */
import type { ClosePortalStmt, DeclareCursorStmt, FetchStmt, Node } from 'libpg-query';
import type { Read } from '../../read.ts';
import type { Refusal } from '../../refusal.ts';
import type { Control } from '../../verdict.ts';
import { refuse } from '../refusal.ts';
import type { Source } from '../relation-uses.ts';
import { classifyRead } from './classify-query.ts';

const options = { scroll: 0x02, insensitive: 0x08, hold: 0x20 } as const;
/** The options with which PostgreSQL refuses to let a cursor lock rows. */
const lockless = options.scroll | options.insensitive | options.hold;

const writingCursor = refuse(
  'DECLARE CURSOR must not contain data-modifying statements in WITH',
  'Run the writing statement first, then declare a cursor for a SELECT.',
);

/** Classifies a DECLARE by its query. */
export function classifyDeclare(
  { options: given = 0, portalname: name = '', query }: DeclareCursorStmt,
  source: Source,
): Control | Refusal {
  const read = classifyRead(query, source, writingCursor);
  if (read.kind === 'refuse') return read;
  // The locking clauses stay in the text, so that PostgreSQL refuses the cursor.
  const isRefused = (given & lockless) !== 0 && hasNoOtherLocks(query, read);
  const body = isRefused ? { ...read, locking: [] } : read;
  return {
    kind: 'control',
    action: { type: 'declare', name, body, holds: (given & options.hold) !== 0 },
  };
}

/** Returns whether all locking clauses belong to the outermost query. */
function hasNoOtherLocks(query: Node | undefined, { locking }: Read): boolean {
  if (query === undefined || !('SelectStmt' in query)) return false;
  return query.SelectStmt.lockingClause?.length === locking.length;
}

/** Classifies FETCH and MOVE, which continue a cursor's query. */
export function classifyFetch({ portalname }: FetchStmt): Control {
  return { kind: 'control', action: { type: 'fetch', name: portalname ?? null } };
}

/** Classifies CLOSE, which is forwarded. A null name is ALL. */
export function classifyClose({ portalname }: ClosePortalStmt): Control {
  return { kind: 'control', action: { type: 'close', name: portalname ?? null } };
}

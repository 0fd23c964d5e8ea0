/** The verdict on DECLARE, FETCH, MOVE and CLOSE. */
import type { ClosePortalStmt, DeclareCursorStmt, FetchStmt, Node } from 'libpg-query';
import type { Read } from '../../read.ts';
import type { Refusal } from '../../refusal.ts';
import type { Control } from '../../verdict.ts';
import { refuse } from '../refusal.ts';
import type { Source } from '../relation-uses.ts';
import { classifyRead } from './classify-query.ts';

const options = { scroll: 0x02, insensitive: 0x08, hold: 0x20 } as const;
/** Cursors that may lock no rows, as PostgreSQL itself says. */
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
  // with its locking clauses PostgreSQL refuses the cursor, as it has to
  const isRefused = (given & lockless) !== 0 && hasNoOtherLocks(query, read);
  const body = isRefused ? { ...read, locking: [] } : read;
  return {
    kind: 'control',
    action: { type: 'declare', name, body, holds: (given & options.hold) !== 0 },
  };
}

/** Whether all locking clauses are the outermost query's own. */
function hasNoOtherLocks(query: Node | undefined, { locking }: Read): boolean {
  if (query === undefined || !('SelectStmt' in query)) return false;
  return query.SelectStmt.lockingClause?.length === locking.length;
}

/** FETCH and MOVE run a cursor's query further. */
export function classifyFetch({ portalname }: FetchStmt): Control {
  return { kind: 'control', action: { type: 'fetch', name: portalname ?? null } };
}

/** CLOSE is passed on; null stands for ALL. */
export function classifyClose({ portalname }: ClosePortalStmt): Control {
  return { kind: 'control', action: { type: 'close', name: portalname ?? null } };
}

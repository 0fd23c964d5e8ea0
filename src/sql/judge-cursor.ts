/** The verdict on DECLARE, FETCH, MOVE and CLOSE. */
import type { ClosePortalStmt, DeclareCursorStmt, FetchStmt } from 'libpg-query';
import { judgeRead } from './judge-query.ts';
import { refuse } from './refusal.ts';
import type { Source } from './relation-uses.ts';
import type { Control, Refusal } from './verdict.ts';

const optionHold = 0x20;

const holdCursor = refuse(
  'DECLARE ... WITH HOLD is not supported in a staged session',
  'Declare the cursor WITHOUT HOLD and fetch from it before COMMIT.',
);

const writingCursor = refuse(
  'DECLARE CURSOR must not contain data-modifying statements in WITH',
  'Run the writing statement first, then declare a cursor for a SELECT.',
);

/** Judges a DECLARE by its query. */
export function judgeDeclare(statement: DeclareCursorStmt, source: Source): Control | Refusal {
  if (((statement.options ?? 0) & optionHold) !== 0) return holdCursor;
  const body = judgeRead(statement.query, source, writingCursor);
  if (body.kind === 'refuse') return body;
  return { kind: 'control', action: { type: 'declare', name: statement.portalname ?? '', body } };
}

/** FETCH and MOVE run a cursor's query further. */
export function judgeFetch({ portalname }: FetchStmt): Control {
  return { kind: 'control', action: { type: 'fetch', name: portalname ?? null } };
}

/** CLOSE is passed on; null stands for ALL. */
export function judgeClose({ portalname }: ClosePortalStmt): Control {
  return { kind: 'control', action: { type: 'close', name: portalname ?? null } };
}

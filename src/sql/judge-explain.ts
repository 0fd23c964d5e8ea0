/** The verdict on EXPLAIN. */
import type { ExplainStmt } from 'libpg-query';
import { judgeRead } from './judge-query.ts';
import { notYet } from './not-yet.ts';
import { refusedStatement } from './refused-statements.ts';
import type { Source } from './relation-uses.ts';
import { openNode } from './tree.ts';
import type { Read, Refusal } from './verdict.ts';

const queries = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt']);

/** Judges an EXPLAIN by what it explains. With ANALYZE it runs the read, and READ ONLY holds as for the read itself. */
export function judgeExplain({ query }: ExplainStmt, source: Source): Read | Refusal {
  const opened = query && openNode(query);
  if (!query || !opened) return notYet.explainWrite;
  if (queries.has(opened.type)) return judgeRead(query, source, notYet.explainWrite);
  if ('DeclareCursorStmt' in query)
    return judgeRead(query.DeclareCursorStmt.query, source, notYet.explainWrite);
  return 'ExecuteStmt' in query
    ? notYet.explainExecute
    : refusedStatement(opened.type, opened.fields);
}

/** Classifies EXPLAIN. */

import type { ExplainStmt, Node } from 'libpg-query';
import { constantOf, openNode } from '../../parser/syntax-tree.ts';
import type { Read } from '../../read.ts';
import type { Refusal } from '../../refusal.ts';
import { plainRead } from '../plain-verdicts.ts';
import { collectUses } from '../query-uses.ts';
import { refuse } from '../refusal.ts';
import { refusedStatement } from '../refused-statements.ts';
import type { Source } from '../relation-uses.ts';
import { classifyQuery } from './classify-query.ts';

const queries = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt']);

const runsWrite = refuse(
  'EXPLAIN ANALYZE runs the statement, and one that writes cannot be staged under it',
  'Leave ANALYZE out to see the plan that production would use.',
);

const runsPrepared = refuse(
  'EXPLAIN ANALYZE EXECUTE is not supported in a staged session',
  'EXPLAIN ANALYZE the query itself, with its values in place of the parameters.',
);

/**
 * Classifies an EXPLAIN by the explained statement. A write is only planned, as production would run it. With ANALYZE a read runs, under
 * READ ONLY as the read itself would.
 */
export function classifyExplain({ query, options }: ExplainStmt, source: Source): Read | Refusal {
  const opened = query && openNode(query);
  if (!query || !opened) return refusedStatement('ExplainStmt', {});
  if ('DeclareCursorStmt' in query && query.DeclareCursorStmt.query) {
    return classifyExplain(
      { query: query.DeclareCursorStmt.query, options: options ?? [] },
      source,
    );
  }
  if ('ExecuteStmt' in query) return classifyExecute(query.ExecuteStmt.params, options, source);
  if (!queries.has(opened.type)) return refusedStatement(opened.type, opened.fields);
  const verdict = classifyQuery(query, source);
  if (verdict.kind !== 'write') return verdict;
  return mayRun(options) ? runsWrite : { ...planned(verdict), explainsWrite: true };
}

/** Classifies EXPLAIN EXECUTE. PREPARE has classified the prepared statement, and planning it runs only what READ ONLY allows. */
function classifyExecute(
  params: readonly Node[] | undefined,
  options: readonly Node[] | undefined,
  source: Source,
): Read | Refusal {
  if (mayRun(options)) return runsPrepared;
  const { calls, unclear, refusal } = collectUses(params ?? [], source);
  return refusal ?? planned({ functions: calls.functions, unclear });
}

/** Returns a read without relations: the plan is production's, whatever the read mode of the session. */
function planned({ functions, unclear }: Pick<Read, 'functions' | 'unclear'>): Read {
  return plainRead({ functions, unclear });
}

/** Returns whether ANALYZE is written and not explicitly disabled. */
function mayRun(options: readonly Node[] = []): boolean {
  return options.some((option) => {
    if (!('DefElem' in option) || option.DefElem.defname !== 'analyze') return false;
    const { arg } = option.DefElem;
    const value = arg && 'String' in arg ? arg.String.sval : constantOf(arg);
    return !['false', 'off', '0'].includes(value?.toLowerCase() ?? '');
  });
}

/** The verdict on one statement, by the node type that PostgreSQL's grammar gives it. */
import type { ConstraintsSetStmt, DiscardStmt, Node } from 'libpg-query';
import { withRowLocks } from '../locate/lock-clauses.ts';
import type { Fields } from '../parser/syntax-tree.ts';
import { openNode } from '../parser/syntax-tree.ts';
import type { Control, Verdict } from '../verdict.ts';
import { judgeCopy } from './judge-copy.ts';
import { judgeClose, judgeDeclare, judgeFetch } from './judge-cursor.ts';
import { judgeExplain } from './judge-explain.ts';
import { judgeLock } from './judge-lock.ts';
import { judgeDeallocate, judgeExecute, judgePrepare } from './judge-prepared.ts';
import { judgeQuery } from './judge-query.ts';
import { judgeSet, judgeShow } from './judge-setting.ts';
import { judgeTransaction } from './judge-transaction.ts';
import { judgeTruncate } from './judge-truncate.ts';
import { refuseCutName } from './object-names.ts';
import { unknownElement } from './refused-parts.ts';
import { refusedStatement } from './refused-statements.ts';
import type { Source } from './relation-uses.ts';
import { judgeStandIn } from './stand-ins.ts';

type Judge = (fields: Fields, source: Source, node: Node) => Verdict;

const query: Judge = (_, source, node) => {
  const known = judgeStandIn(node, source.text);
  if (known) return known;
  const verdict = judgeQuery(node, source);
  if (verdict.kind === 'refuse') return verdict;
  const found = verdict.kind === 'read' ? withRowLocks(verdict, node, source) : verdict;
  return { ...found, isQuery: true };
};

const judges: ReadonlyMap<string, Judge> = new Map([
  ['SelectStmt', query],
  ['InsertStmt', query],
  ['UpdateStmt', query],
  ['DeleteStmt', query],
  ['MergeStmt', query],
  ['TruncateStmt', judgeTruncate as Judge],
  ['ConstraintsSetStmt', judgeConstraints as Judge],
  ['CopyStmt', judgeCopy as Judge],
  ['ExplainStmt', judgeExplain as Judge],
  ['TransactionStmt', judgeTransaction as Judge],
  ['VariableSetStmt', judgeSet as Judge],
  ['VariableShowStmt', judgeShow as Judge],
  ['LockStmt', judgeLock as Judge],
  ['PrepareStmt', judgePrepare as Judge],
  ['ExecuteStmt', judgeExecute as Judge],
  ['DeallocateStmt', judgeDeallocate as Judge],
  ['DeclareCursorStmt', judgeDeclare as Judge],
  ['FetchStmt', judgeFetch as Judge],
  ['ClosePortalStmt', judgeClose as Judge],
  ['DiscardStmt', judgeDiscard as Judge],
  ['UnlistenStmt', () => ({ kind: 'control', action: { type: 'pass' } })],
]);

/** Judges a statement. Whatever is not known is refused. */
export function judge(node: Node | undefined, source: Source): Verdict {
  const opened = node && openNode(node);
  if (!node || !opened) return unknownElement('statement');
  const judgeIt = judges.get(opened.type);
  if (!judgeIt) return refusedStatement(opened.type, opened.fields);
  const verdict = judgeIt(opened.fields, source, node);
  return (verdict.kind === 'control' && refuseCutName(verdict, source)) || verdict;
}

/** SET CONSTRAINTS; no names stand for ALL. */
function judgeConstraints({ constraints, deferred = false }: ConstraintsSetStmt): Control {
  const names = constraints?.flatMap((node) => {
    if (!('RangeVar' in node)) return [];
    const { schemaname: schema = null, relname: name = '' } = node.RangeVar;
    return [{ schema, name }];
  });
  return {
    kind: 'control',
    action: { type: 'set constraints', names: names ?? null, deferred },
  };
}

const discards = {
  DISCARD_ALL: 'all',
  DISCARD_PLANS: 'plans',
  DISCARD_SEQUENCES: 'sequences',
  DISCARD_TEMP: 'temp',
} as const;

function judgeDiscard({ target = 'DISCARD_ALL' }: DiscardStmt): Control {
  return { kind: 'control', action: { type: 'discard', what: discards[target] } };
}

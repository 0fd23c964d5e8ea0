/** Classifies one statement by its node type in PostgreSQL's grammar. */
import type { ConstraintsSetStmt, DiscardStmt, Node } from 'libpg-query';
import { withRowLocks } from '../locate/lock-clauses.ts';
import type { Fields } from '../parser/syntax-tree.ts';
import { openNode } from '../parser/syntax-tree.ts';
import type { Control, Verdict } from '../verdict.ts';
import { classifyCall } from './kinds/classify-call.ts';
import { classifyCopy } from './kinds/classify-copy.ts';
import { classifyCreateAs, classifySelectInto } from './kinds/classify-create-as.ts';
import { classifyClose, classifyDeclare, classifyFetch } from './kinds/classify-cursor.ts';
import {
  classifyAlter,
  classifyAnalyze,
  classifyCreate,
  classifyDrop,
  classifyIndex,
  classifyRename,
} from './kinds/classify-definition.ts';
import { classifyDo } from './kinds/classify-do.ts';
import { classifyExplain } from './kinds/classify-explain.ts';
import { classifyLock } from './kinds/classify-lock.ts';
import { classifyDeallocate, classifyExecute, classifyPrepare } from './kinds/classify-prepared.ts';
import { classifyQuery } from './kinds/classify-query.ts';
import { classifySet, classifyShow } from './kinds/classify-setting.ts';
import { classifyTransaction } from './kinds/classify-transaction.ts';
import { classifyTruncate } from './kinds/classify-truncate.ts';
import { refuseCutName } from './object-names.ts';
import { plainDefinition } from './plain-verdicts.ts';
import { unknownElement } from './refused-parts.ts';
import { refusedStatement } from './refused-statements.ts';
import type { Source } from './relation-uses.ts';
import { classifyReplaced } from './replaced-queries.ts';

type Classify = (fields: Fields, source: Source, node: Node) => Verdict;

const query: Classify = (fields, source, node) => {
  const into = classifySelectInto(fields, source);
  if (into) return into;
  const known = classifyReplaced(node, source.text);
  if (known) return known;
  const verdict = classifyQuery(node, source);
  if (verdict.kind === 'refuse') return verdict;
  const found = verdict.kind === 'read' ? withRowLocks(verdict, node, source) : verdict;
  return { ...found, isQuery: true };
};

const classifies: ReadonlyMap<string, Classify> = new Map([
  ['SelectStmt', query],
  ['InsertStmt', query],
  ['UpdateStmt', query],
  ['DeleteStmt', query],
  ['MergeStmt', query],
  ['TruncateStmt', classifyTruncate as Classify],
  ['ConstraintsSetStmt', classifyConstraints as Classify],
  ['CopyStmt', classifyCopy as Classify],
  ['ExplainStmt', classifyExplain as Classify],
  ['TransactionStmt', classifyTransaction as Classify],
  ['VariableSetStmt', classifySet as Classify],
  ['VariableShowStmt', classifyShow as Classify],
  ['LockStmt', classifyLock as Classify],
  ['PrepareStmt', classifyPrepare as Classify],
  ['CallStmt', classifyCall as Classify],
  ['DoStmt', classifyDo as Classify],
  ['ExecuteStmt', classifyExecute as Classify],
  ['DeallocateStmt', classifyDeallocate as Classify],
  ['DeclareCursorStmt', classifyDeclare as Classify],
  ['FetchStmt', classifyFetch as Classify],
  ['ClosePortalStmt', classifyClose as Classify],
  ['DiscardStmt', classifyDiscard as Classify],
  ['CreateStmt', classifyCreate as Classify],
  ['CreateTableAsStmt', classifyCreateAs as Classify],
  ['AlterTableStmt', classifyAlter as Classify],
  ['RenameStmt', classifyRename as Classify],
  ['DropStmt', classifyDrop as Classify],
  ['IndexStmt', classifyIndex as Classify],
  ['VacuumStmt', classifyAnalyze as Classify],
  ['ListenStmt', () => passed],
  ['UnlistenStmt', () => passed],
]);

const passed: Control = { kind: 'control', action: { type: 'pass' } };

/** Returns the verdict on a statement. Unknown statements are refused. */
export function classify(node: Node | undefined, source: Source): Verdict {
  const opened = node && openNode(node);
  if (!node || !opened) return unknownElement('statement');
  const classifyIt = classifies.get(opened.type);
  if (!classifyIt) return refusedStatement(opened.type, opened.fields);
  const verdict = classifyIt(opened.fields, source, node);
  // guard: names that the parser has cut are refused
  return (verdict.kind === 'control' && refuseCutName(verdict, source)) || verdict;
}

/** Classifies SET CONSTRAINTS. A missing list of names is ALL. */
function classifyConstraints({ constraints, deferred = false }: ConstraintsSetStmt): Control {
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
} as const;

function classifyDiscard({ target = 'DISCARD_ALL' }: DiscardStmt): Verdict {
  if (target === 'DISCARD_TEMP') return plainDefinition({ command: 'DISCARD TEMP' });
  return { kind: 'control', action: { type: 'discard', what: discards[target] } };
}

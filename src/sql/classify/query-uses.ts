/**
 * One walk over a query's parse tree that records everything its verdict needs. The walk uses a list of pending nodes instead of recursion,
 * so no statement is nested too deeply for it.
 */
import type {
  ColumnRef,
  DeleteStmt,
  FuncCall,
  InsertStmt,
  MergeStmt,
  MultiAssignRef,
  Node,
  RangeVar,
  SelectStmt,
  UpdateStmt,
  WithClause,
} from 'libpg-query';
import { CallNotes } from '../functions/call-uses.ts';
import type { Calls, UnclearCall } from '../functions/calls.ts';
import { noteGrouping } from '../locate/locate-grouping.ts';
import { locksInVain } from '../locate/locking-ranges.ts';
import { actionsOf, locateMerge } from '../locate/merges.ts';
import { inferredFrom, locateUpsert, readsCte, returnsOldRow } from '../locate/upserts.ts';
import { leafQueryNodes, plainQueryNodes } from '../parser/query-nodes.ts';
import type { Fields } from '../parser/syntax-tree.ts';
import { isNode, openNode } from '../parser/syntax-tree.ts';
import type { CallPlace, Qualifier, RelationUse } from '../places.ts';
import type { Refusal } from '../refusal.ts';
import type { Right } from '../write.ts';
import { overridingValue } from './overriding.ts';
import type { Notes } from './query-notes.ts';
import { emptyNotes } from './query-notes.ts';
import {
  conflictWithoutTarget,
  cteInConflict,
  currentOf,
  excludedConflict,
  isLockingItself,
  lockingRecursion,
  oldRowOfUpsert,
  refusedTarget,
  selectInto,
  unclearConflict,
  unknownElement,
  unreadableName,
  writesWithinReturning,
  writeWithinReturning,
} from './refused-parts.ts';
import type { Source } from './relation-uses.ts';
import { inOrder, locateCall, locateQualifier, locateRelation } from './relation-uses.ts';
import { actionRight, changeRight, insertRight, upsertRight } from './rights.ts';
import type { Scope } from './scope.ts';
import { isInScope, scopeWith } from './scope.ts';

/** The names and clauses that a query uses; places are in ascending order. */
export interface QueryUses extends Readonly<Notes> {
  readonly relations: readonly RelationUse[];
  readonly calls: Calls;
  readonly unclear: readonly UnclearCall[];
  readonly called: readonly CallPlace[];
  readonly qualifiers: readonly Qualifier[];
}

interface Walk {
  readonly source: Source;
  readonly pending: { readonly value: unknown; readonly scope: Scope }[];
  readonly relations: Map<number, RelationUse>;
  readonly calls: CallNotes;
  readonly called: Map<number, CallPlace>;
  readonly qualifiers: Map<number, Qualifier>;
  readonly notes: Notes;
}

type Visitor = (walk: Walk, fields: Fields, scope: Scope) => void;

const none: ReadonlySet<string> = new Set();

const visitors: ReadonlyMap<string, Visitor> = new Map([
  ['SelectStmt', visitSelect as Visitor],
  ['InsertStmt', visitInsert as Visitor],
  ['UpdateStmt', visitChange('UPDATE')],
  ['DeleteStmt', visitChange('DELETE')],
  ['MergeStmt', visitMerge as Visitor],
  ['CurrentOfExpr', (walk) => note(walk, currentOf)],
  ['RangeVar', visitRangeVar as Visitor],
  ['ColumnRef', visitColumn as Visitor],
  ['FuncCall', visitFunction as Visitor],
  ['RangeFunction', visitNoted((calls, range) => calls.noteRange(range))],
  ['A_Indirection', visitNoted((calls, node) => calls.noteIndirection(node))],
  ['MultiAssignRef', visitMultiAssign as Visitor],
]);

/** Walks over a query (SELECT, INSERT, UPDATE, DELETE, MERGE) or an expression, including everything nested. */
export function collectUses(root: Node | readonly Node[], source: Source): QueryUses {
  const notes = emptyNotes(source.text.length);
  const walk: Walk = {
    source,
    pending: [{ value: root, scope: null }],
    relations: new Map(),
    calls: new CallNotes(),
    called: new Map(),
    qualifiers: new Map(),
    notes,
  };
  for (let next = walk.pending.pop(); next && !notes.refusal; next = walk.pending.pop()) {
    visit(walk, next.value, next.scope);
  }
  const relations = inOrder(walk.relations);
  return {
    relations,
    calls: walk.calls.all(),
    unclear: walk.calls.unclear(relations),
    called: inOrder(walk.called),
    qualifiers: inOrder(walk.qualifiers),
    ...notes,
  };
}

function visit(walk: Walk, value: unknown, scope: Scope): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) for (const item of value) walk.pending.push({ value: item, scope });
  else if (isNode(value)) visitNode(walk, value, scope);
  else visitFields(walk, value, scope);
}

function visitNode(walk: Walk, node: Fields, scope: Scope): void {
  const opened = openNode(node);
  if (!opened) return;
  const visitor = visitors.get(opened.type);
  if (visitor) visitor(walk, opened.fields, scope);
  else if (plainQueryNodes.has(opened.type)) visitPlain(walk, opened.type, opened.fields, scope);
  // guard: an unknown element of the grammar is refused
  else if (!leafQueryNodes.has(opened.type)) note(walk, unknownElement(opened.type));
}

function visitPlain(walk: Walk, type: string, fields: Fields, scope: Scope): void {
  walk.calls.note(type, fields);
  visitFields(walk, fields, scope);
}

function visitFields(walk: Walk, fields: Fields, scope: Scope, except = none): void {
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'object' && !except.has(name)) walk.pending.push({ value, scope });
  }
}

const selectFields = new Set(['withClause', 'lockingClause', 'larg', 'rarg']);

function visitSelect(walk: Walk, select: SelectStmt, scope: Scope): void {
  if (select.intoClause) note(walk, selectInto);
  const inner = enterWith(walk, select.withClause, scope);
  // A locking clause names aliases of relations in FROM.
  walk.notes.lockingClauses += select.lockingClause?.length ?? 0;
  walk.notes.locksInVain ||= locksInVain(select);
  if (select.groupClause) noteGrouping(select, walk);
  for (const half of [select.larg, select.rarg])
    if (half) walk.pending.push({ value: { SelectStmt: half }, scope: inner });
  visitFields(walk, select, inner, selectFields);
}

const writeFields = new Set(['withClause', 'relation']);
const insertFields = new Set([...writeFields, 'onConflictClause']);

function visitInsert(walk: Walk, insert: InsertStmt, scope: Scope): void {
  const target = visitTarget(walk, insert.relation, 'INSERT');
  const inner = enterWrite(walk, insert, scope);
  noteRight(walk, target, insertRight(insert));
  if (insert.onConflictClause) visitUpsert(walk, insert, target, inner);
  noteOverriding(walk, target, insert.override);
  visitFields(walk, insert, inner, insertFields);
}

function noteOverriding(walk: Walk, target: number | null, override?: string): void {
  const value = overridingValue(override);
  if (value && target !== null) walk.notes.overriding.push({ target, value });
}

function visitUpsert(walk: Walk, insert: InsertStmt, target: number | null, scope: Scope): void {
  const clause = insert.onConflictClause ?? {};
  const upsert = target === null ? null : locateUpsert(insert, target, walk.source);
  if (returnsOldRow(insert)) note(walk, oldRowOfUpsert);
  else if (upsert === null) note(walk, unclearConflict);
  else if (upsert.set && upsert.arbiter.kind === 'any') note(walk, conflictWithoutTarget);
  else if (upsert.set && upsert.alias === 'excluded') note(walk, excludedConflict);
  else if (readsCte(clause, scope)) note(walk, cteInConflict);
  else walk.notes.upserts.push(upsert);
  if (upsert?.set) noteRight(walk, target, upsertRight(clause));
  // guard: constants that an index is inferred from are evaluated when the statement is planned
  walk.pending.push({ value: inferredFrom(clause), scope });
  walk.pending.push({ value: [clause.targetList, clause.whereClause], scope });
}

function visitChange(operation: 'UPDATE' | 'DELETE'): Visitor {
  return (walk, change: UpdateStmt & DeleteStmt, scope) => {
    const target = visitTarget(walk, change.relation, operation);
    noteRight(walk, target, changeRight(operation, change));
    const inner =
      operation === 'UPDATE'
        ? enterWrite(walk, change, scope)
        : enterWith(walk, change.withClause, scope);
    visitFields(walk, change, inner, writeFields);
  };
}

function visitMerge(walk: Walk, merge: MergeStmt, scope: Scope): void {
  const target = visitTarget(walk, merge.relation, 'MERGE');
  if (target !== null) walk.notes.merges.push(locateMerge(merge, target, walk.source));
  for (const { operation, clause } of actionsOf(merge)) {
    noteRight(walk, target, actionRight(operation, clause, merge));
    noteOverriding(walk, target, clause.override);
  }
  visitFields(walk, merge, enterWrite(walk, merge, scope), writeFields);
}

function noteRight(walk: Walk, target: number | null, right: Omit<Right, 'target'>): void {
  if (target !== null) walk.notes.rights.push({ target, ...right });
}

type Write = InsertStmt | UpdateStmt | MergeStmt;

function enterWrite(walk: Walk, { withClause, returningClause }: Write, outer: Scope): Scope {
  const scope = enterWith(walk, withClause, outer);
  if (writesWithinReturning(returningClause, scope)) note(walk, writeWithinReturning);
  return scope;
}
/** Visits the queries of a WITH clause. Returns the scope of the statement that has the clause. */
function enterWith(walk: Walk, clause: WithClause | undefined, outer: Scope): Scope {
  const ctes = (clause?.ctes ?? []).flatMap((node) =>
    'CommonTableExpr' in node ? [node.CommonTableExpr] : [],
  );
  const all = ctes.reduce(scopeWith, outer);
  let before = outer;
  for (const cte of ctes) {
    if (clause?.recursive && isLockingItself(cte)) note(walk, lockingRecursion);
    // With RECURSIVE, each query sees all names; without, only those of the queries before it.
    visitFields(walk, cte, clause?.recursive ? all : before);
    before = scopeWith(before, cte);
  }
  return all;
}

/** Records the target of a write, which is a relation even if a CTE has its name. Returns its position. */
function visitTarget(
  walk: Walk,
  range: RangeVar | undefined,
  target: RelationUse['target'],
): number | null {
  walk.notes.writes = true;
  const refusal = refusedTarget(range?.schemaname, range?.relname);
  if (!refusal) return noteRelation(walk, range, target);
  note(walk, refusal);
  return null;
}

function visitRangeVar(walk: Walk, range: RangeVar, scope: Scope): void {
  if (range.schemaname === undefined && isInScope(range.relname, scope)) return;
  noteRelation(walk, range, null);
}

function noteRelation(
  walk: Walk,
  range: RangeVar | undefined,
  target: RelationUse['target'],
): number | null {
  const use = range && locateRelation(range, walk.source, target);
  if (use) walk.relations.set(use.start, use);
  else note(walk, unreadableName);
  return use?.start ?? null;
}

function visitColumn(walk: Walk, column: ColumnRef): void {
  const qualifier = locateQualifier(column, walk.source);
  if (qualifier) walk.qualifiers.set(qualifier.start, qualifier);
  if (qualifier === null) note(walk, unreadableName);
  walk.calls.noteColumn(column);
}

function visitFunction(walk: Walk, call: FuncCall, scope: Scope): void {
  walk.calls.noteCall(call);
  const place = locateCall(call, walk.source);
  if (place) walk.called.set(place.start, place);
  visitFields(walk, call, scope);
}

/** Returns a visitor that records a node's calls and visits its fields. */
function visitNoted(noteIn: (calls: CallNotes, fields: Fields) => void): Visitor {
  return (walk, fields, scope) => {
    noteIn(walk.calls, fields);
    visitFields(walk, fields, scope);
  };
}

/** Visits `SET (a, b) = (SELECT ...)` once. The tree repeats it per column. */
function visitMultiAssign(walk: Walk, assignment: MultiAssignRef, scope: Scope): void {
  if (assignment.colno === 1) visitFields(walk, assignment, scope);
}

function note(walk: Walk, refusal: Refusal): void {
  walk.notes.refusal ??= refusal;
}

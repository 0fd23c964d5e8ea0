/**
 * One walk over a query's parse tree that notes everything the verdict on it needs. The walk keeps a list of what is
 * still to be visited instead of recursing, so that no statement is nested too deeply for it.
 */
import type {
  A_Indirection,
  ColumnRef,
  DeleteStmt,
  FuncCall,
  InsertStmt,
  MultiAssignRef,
  Node,
  RangeVar,
  SelectStmt,
  UpdateStmt,
  WithClause,
} from 'libpg-query';
import { CallNotes } from './call-uses.ts';
import { notYet } from './not-yet.ts';
import { leafQueryNodes, plainQueryNodes } from './query-nodes.ts';
import {
  conflictWithoutTarget,
  oldRowOfUpsert,
  refusedTarget,
  selectInto,
  unclearConflict,
  unknownElement,
  unreadableName,
} from './refused-parts.ts';
import type { Source } from './relation-uses.ts';
import { locateQualifier, locateRelation } from './relation-uses.ts';
import { rightTo } from './rights.ts';
import type { Fields } from './tree.ts';
import { isNode, openNode, textsOf } from './tree.ts';
import { locateUpsert, returnsOldRow } from './upserts.ts';
import type {
  Calls,
  Overriding,
  Qualifier,
  Refusal,
  RelationUse,
  Right,
  Upsert,
} from './verdict.ts';

/** What a query uses; places in ascending order. */
export interface QueryUses {
  readonly relations: readonly RelationUse[];
  readonly calls: Calls;
  readonly qualifiers: readonly Qualifier[];
  readonly fields: readonly string[];
  readonly upserts: readonly Upsert[];
  readonly overriding: readonly Overriding[];
  readonly rights: readonly Right[];
  readonly lockingClauses: number;
  /** An INSERT, UPDATE or DELETE stands somewhere in it. */
  readonly writes: boolean;
  /** The first thing found that cannot be run in a staged session. */
  readonly refusal: Refusal | null;
}

/** The names of the CTEs that a part of a query sees, innermost first. */
type Scope = { readonly name: string; readonly outer: Scope } | null;

interface Walk {
  readonly source: Source;
  readonly pending: { readonly value: unknown; readonly scope: Scope }[];
  readonly relations: Map<number, RelationUse>;
  readonly calls: CallNotes;
  readonly qualifiers: Map<number, Qualifier>;
  readonly fields: Set<string>;
  readonly upserts: Upsert[];
  readonly overriding: Overriding[];
  readonly rights: Right[];
  lockingClauses: number;
  writes: boolean;
  refusal: Refusal | null;
}

type Visitor = (walk: Walk, fields: Fields, scope: Scope) => void;

const none: ReadonlySet<string> = new Set();

const visitors: ReadonlyMap<string, Visitor> = new Map([
  ['SelectStmt', visitSelect as Visitor],
  ['InsertStmt', visitInsert as Visitor],
  ['UpdateStmt', visitUpdate as Visitor],
  ['DeleteStmt', visitDelete as Visitor],
  ['MergeStmt', (walk) => note(walk, notYet.merge)],
  ['MergeSupportFunc', (walk) => note(walk, notYet.merge)],
  ['CurrentOfExpr', (walk) => note(walk, notYet.currentOf)],
  ['RangeVar', visitRangeVar as Visitor],
  ['ColumnRef', visitColumn as Visitor],
  ['FuncCall', visitFunction as Visitor],
  ['A_Indirection', visitIndirection as Visitor],
  ['MultiAssignRef', visitMultiAssign as Visitor],
]);

/** Walks over a query (SELECT, INSERT, UPDATE, DELETE) or an expression, with everything inside. */
export function collectUses(root: Node | readonly Node[], source: Source): QueryUses {
  const walk: Walk = {
    source,
    pending: [{ value: root, scope: null }],
    relations: new Map(),
    calls: new CallNotes(),
    qualifiers: new Map(),
    fields: new Set(),
    upserts: [],
    overriding: [],
    rights: [],
    lockingClauses: 0,
    writes: false,
    refusal: null,
  };
  for (let next = walk.pending.pop(); next && !walk.refusal; next = walk.pending.pop()) {
    visit(walk, next.value, next.scope);
  }
  return {
    relations: inOrder(walk.relations),
    calls: walk.calls.all(),
    qualifiers: inOrder(walk.qualifiers),
    fields: [...walk.fields],
    upserts: walk.upserts,
    overriding: walk.overriding,
    rights: walk.rights,
    lockingClauses: walk.lockingClauses,
    writes: walk.writes,
    refusal: walk.refusal,
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
  // The relations that a locking clause names are aliases of those in FROM.
  walk.lockingClauses += select.lockingClause?.length ?? 0;
  if (select.larg) walk.pending.push({ value: { SelectStmt: select.larg }, scope: inner });
  if (select.rarg) walk.pending.push({ value: { SelectStmt: select.rarg }, scope: inner });
  visitFields(walk, select, inner, selectFields);
}

const writeFields = new Set(['withClause', 'relation']);
const insertFields = new Set([...writeFields, 'onConflictClause']);

function visitInsert(walk: Walk, insert: InsertStmt, scope: Scope): void {
  const target = visitTarget(walk, insert.relation, 'INSERT');
  const inner = enterWith(walk, insert.withClause, scope);
  if (target !== null) walk.rights.push(rightTo('INSERT', target, insert.cols));
  if (insert.onConflictClause) visitUpsert(walk, insert, target, inner);
  const value = overridingValues[insert.override ?? ''];
  if (value && target !== null) walk.overriding.push({ target, value });
  visitFields(walk, insert, inner, insertFields);
}

const overridingValues: Readonly<Record<string, Overriding['value']>> = {
  OVERRIDING_SYSTEM_VALUE: 'system',
  OVERRIDING_USER_VALUE: 'user',
};

/** What an arbiter names is no use of it: it is compared with the table's indexes, never evaluated. */
function visitUpsert(walk: Walk, insert: InsertStmt, target: number | null, scope: Scope): void {
  const clause = insert.onConflictClause ?? {};
  const upsert = target === null ? null : locateUpsert(insert, target, walk.source);
  if (returnsOldRow(insert)) note(walk, oldRowOfUpsert);
  else if (upsert === null) note(walk, unclearConflict);
  else if (upsert.set && upsert.arbiter.kind === 'any') note(walk, conflictWithoutTarget);
  else walk.upserts.push(upsert);
  if (target !== null && upsert?.set)
    walk.rights.push(rightTo('UPDATE', target, clause.targetList));
  walk.pending.push({ value: [clause.targetList, clause.whereClause], scope });
}

function visitUpdate(walk: Walk, update: UpdateStmt, scope: Scope): void {
  const target = visitTarget(walk, update.relation, 'UPDATE');
  if (target !== null) walk.rights.push(rightTo('UPDATE', target, update.targetList));
  visitFields(walk, update, enterWith(walk, update.withClause, scope), writeFields);
}

function visitDelete(walk: Walk, deletion: DeleteStmt, scope: Scope): void {
  const target = visitTarget(walk, deletion.relation, 'DELETE');
  if (target !== null) walk.rights.push(rightTo('DELETE', target, undefined));
  visitFields(walk, deletion, enterWith(walk, deletion.withClause, scope), writeFields);
}

/** Visits the queries of a WITH clause and gives the scope of the statement that has it. */
function enterWith(walk: Walk, clause: WithClause | undefined, outer: Scope): Scope {
  const ctes = (clause?.ctes ?? []).flatMap((node) =>
    'CommonTableExpr' in node ? [node.CommonTableExpr] : [],
  );
  const all = ctes.reduce<Scope>(
    (scope, { ctename = '' }) => ({ name: ctename, outer: scope }),
    outer,
  );
  let before = outer;
  for (const cte of ctes) {
    // WITH RECURSIVE shows each query all names, plain WITH those of the queries before it.
    visitFields(walk, cte, clause?.recursive ? all : before);
    before = { name: cte.ctename ?? '', outer: before };
  }
  return all;
}

/** The target of a write is a relation even where a CTE has its name. Gives its place. */
function visitTarget(
  walk: Walk,
  range: RangeVar | undefined,
  target: RelationUse['target'],
): number | null {
  walk.writes = true;
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
  for (const name of textsOf(column.fields?.slice(1))) walk.fields.add(name);
}

function visitFunction(walk: Walk, call: FuncCall, scope: Scope): void {
  walk.calls.noteCall(call);
  visitFields(walk, call, scope);
}

function visitIndirection(walk: Walk, indirection: A_Indirection, scope: Scope): void {
  for (const name of textsOf(indirection.indirection)) walk.fields.add(name);
  visitFields(walk, indirection, scope);
}

/** `SET (a, b) = (SELECT ...)` stands in the tree once per column. */
function visitMultiAssign(walk: Walk, assignment: MultiAssignRef, scope: Scope): void {
  if (assignment.colno === 1) visitFields(walk, assignment, scope);
}

function isInScope(name: string | undefined, scope: Scope): boolean {
  for (let cte = scope; cte; cte = cte.outer) if (cte.name === name) return true;
  return false;
}

function note(walk: Walk, refusal: Refusal): void {
  walk.refusal ??= refusal;
}

function inOrder<T extends { readonly start: number }>(uses: ReadonlyMap<number, T>): T[] {
  return [...uses.values()].sort((one, other) => one.start - other.start);
}

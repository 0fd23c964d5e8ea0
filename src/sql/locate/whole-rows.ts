/** Locates the names in a query that may stand for the whole row of a table which a function takes: `f(t)`, `f(t.*)`, and `t.f`. */
import type {
  A_Const,
  ColumnRef,
  FuncCall,
  JoinExpr,
  NamedArgExpr,
  Node,
  RangeFunction,
  RangeVar,
  ResTarget,
} from 'libpg-query';
import type { Source } from '../classify/relation-uses.ts';
import { locate, locateCall, locateRelation } from '../classify/relation-uses.ts';
import type { QualifiedName } from '../functions/calls.ts';
import { skipSpace } from '../parser/identifier-reader.ts';
import { textsOf } from '../parser/syntax-tree.ts';
import type { RelationUse } from '../places.ts';
import type { ByteRange } from '../splice.ts';

/** A name that may stand for a whole row. The range is that of the row, or of all of `t.f`. */
export interface WholeRow extends ByteRange {
  /** First byte of the table's name, as in its `RelationUse`. */
  readonly relation: number;
  /** The name by which the query refers to the table. Nothing else in the statement has it. */
  readonly alias: string;
  /** The function that takes the row. */
  readonly taker: QualifiedName;
  /** First byte of the function's name; null for `t.f`. */
  readonly call: number | null;
  /** What else it may be: a column of any relation for `f(t)`, a column of this one for `t.f`, nothing for `f(t.*)`. */
  readonly unless: 'any column' | 'its column' | null;
  /** For `f(t)`: functions in FROM, which may give such a column. */
  readonly givers: readonly QualifiedName[];
  /** Whether an outer join of the statement may lack the row. */
  readonly isNullable: boolean;
}

/** What a walk over a query finds. */
interface Found {
  readonly ranges: RangeVar[];
  readonly columns: ColumnRef[];
  /** The functions of which columns are arguments. */
  readonly takers: Map<ColumnRef, FuncCall>;
  /** Names that are only those of columns and functions. */
  readonly columnNames: Set<string>;
  /** The output columns of the statement itself, to which nothing in it refers. */
  readonly outputs: ReadonlySet<unknown>;
  /** All other texts of the tree, constants apart. */
  readonly others: Set<string>;
  firstConstant: number;
  hasOuterJoin: boolean;
  /** Functions in FROM, which give columns whose names the statement does not show; null for something else than a function. */
  readonly givers: (QualifiedName | null)[];
}

/** Names that mean other rows of a target in some clauses, and those that PostgreSQL gives to columns without one. */
const isReserved = (name: string) =>
  /^(old|new|excluded|row|array|case|coalesce|greatest|least|nullif|exists|grouping)$/.test(name) ||
  /^(current_|json|xml|column\d)/.test(name);

/**
 * Returns the names that may stand for whole rows. A table counts if nothing else in the statement has the name by which it is referred to,
 * so that the scopes of the statement do not matter.
 * @param writes whether the statement writes: behind a constant, where places differ between texts of one shape, `t.f` is a column then
 */
export function locateWholeRows(
  query: Node,
  relations: readonly RelationUse[],
  source: Source,
  writes: boolean,
): WholeRow[] {
  if (relations.length === 0) return [];
  const found = walk(query);
  const tables = new Map<string, number | null>();
  for (const range of found.ranges) {
    const alias = range.alias?.aliasname ?? range.relname ?? '';
    const start = locateRelation(range, source, null)?.start;
    const isClear = start !== undefined && relations.some((use) => use.start === start);
    const isOnly = !tables.has(alias) && !found.others.has(alias) && !isReserved(alias);
    const isRenamed = range.alias?.colnames !== undefined;
    tables.set(alias, isClear && isOnly && !isRenamed ? start : null);
  }
  return found.columns
    .flatMap((column) => wholeRow(column, found, tables, source))
    .filter(({ start, unless }) => {
      return !writes || unless !== 'its column' || start + source.offset < found.firstConstant;
    });
}

function wholeRow(
  column: ColumnRef,
  found: Found,
  tables: ReadonlyMap<string, number | null>,
  source: Source,
): WholeRow[] {
  const { range, attribute } = partsOf(column);
  const alias = range.at(-1) ?? '';
  const relation = tables.get(alias) ?? null;
  const taker = attribute === null ? takerOf(column, found, source) : attributeTaker(attribute);
  const place = placeOf(column, source);
  if (relation === null || taker === null || place === null) return [];
  const kind = unlessOf(column, alias, found);
  return kind === null
    ? []
    : [{ ...place, relation, alias, ...taker, ...kind, isNullable: found.hasOuterJoin }];
}

const attributeTaker = (name: string) => ({ taker: { schema: null, name }, call: null });

function takerOf(column: ColumnRef, { takers }: Found, source: Source) {
  const call = takers.get(column);
  const place = call && locateCall(call, source);
  return place ? { taker: { schema: place.schema, name: place.name }, call: place.start } : null;
}

/** Returns the range of a row, or of all of `t.f`. */
function placeOf(column: ColumnRef, source: Source): ByteRange | null {
  const { range, attribute, hasStar } = partsOf(column);
  const names = attribute === null ? range : [...range, attribute];
  const parts = locate(names, column.location, source);
  const [first, last] = [parts?.[0], parts?.at(-1)];
  if (!first || !last) return null;
  return { start: first.start, end: hasStar ? endOfStar(source.text, last.end) : last.end };
}

/** Returns what else a name may be; null if it is clearly something else. */
function unlessOf(
  column: ColumnRef,
  alias: string,
  { columnNames, givers: all }: Found,
): Pick<WholeRow, 'unless' | 'givers'> | null {
  const { attribute, hasStar } = partsOf(column);
  if (attribute !== null) return { unless: 'its column', givers: [] };
  if (hasStar) return { unless: null, givers: [] };
  const givers = all.filter((giver) => giver !== null);
  // guard: an output column of the statement, or of something else than a function in FROM, is not taken for a whole row
  if (givers.length < all.length || columnNames.has(alias)) return null;
  return { unless: 'any column', givers };
}

/** Returns the name of a range, which may be that of a column, and the name behind it. */
function partsOf({ fields = [] }: ColumnRef) {
  const names = textsOf(fields);
  const hasStar = names.length < fields.length;
  if (hasStar || names.length < 2) return { range: names, attribute: null, hasStar };
  return { range: names.slice(0, -1), attribute: names.at(-1) ?? null, hasStar };
}

/** Returns the end of `.*` behind a name. */
function endOfStar(text: Buffer, end: number): number {
  const dot = skipSpace(text, end);
  return skipSpace(text, dot + 1) + 1;
}

function walk(query: Node): Found {
  const found: Found = {
    ranges: [],
    columns: [],
    takers: new Map(),
    columnNames: new Set(),
    outputs: new Set(outputsOf(query)),
    others: new Set(),
    firstConstant: Number.POSITIVE_INFINITY,
    hasOuterJoin: false,
    givers: [],
  };
  const pending: unknown[] = [query];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') found.others.add(value);
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, child] of Object.entries(value)) pending.push(visit(found, name, child));
  }
  return found;
}

/** Notes a field or node. Returns what else is to be visited in it. */
function visit(found: Found, name: string, value: unknown): unknown {
  switch (name) {
    case 'A_Const':
      found.firstConstant = Math.min(found.firstConstant, (value as A_Const).location ?? 0);
      return null;
    case 'RangeVar':
    case 'relation':
      found.ranges.push(value as RangeVar);
      return null;
    case 'ColumnRef': {
      found.columns.push(value as ColumnRef);
      const { range, attribute } = partsOf(value as ColumnRef);
      if (attribute !== null) found.columnNames.add(attribute);
      return range.slice(0, -1);
    }
    case 'FuncCall':
      noteTaker(found, value as FuncCall);
      return { ...(value as FuncCall), funcname: null };
    case 'ResTarget': {
      const { name: column, ...rest } = value as ResTarget;
      found.columnNames.add(column ?? (found.outputs.has(value) ? '' : implicitName(rest)));
      return rest;
    }
    case 'NamedArgExpr':
      return (value as NamedArgExpr).arg;
    case 'JoinExpr':
      found.hasOuterJoin ||= (value as JoinExpr).jointype !== 'JOIN_INNER';
      return value;
    case 'RangeFunction':
      found.givers.push(...giversIn(value as RangeFunction));
      return value;
    default:
      return value;
  }
}

/** Returns the functions of a function in FROM, which may be several; null for something else. */
const giversIn = ({ functions = [] }: RangeFunction): (QualifiedName | null)[] =>
  functions.map((each) => {
    const [call] = 'List' in each ? (each.List.items ?? []) : [];
    if (!call || !('FuncCall' in call)) return null;
    const names = textsOf(call.FuncCall.funcname);
    return { schema: names.at(-2) ?? null, name: names.at(-1) ?? '' };
  });

function outputsOf(query: Node): unknown[] {
  const { targetList = [] } = 'SelectStmt' in query ? query.SelectStmt : {};
  return targetList.map((each) => ('ResTarget' in each ? each.ResTarget : null));
}

/** Returns the name of an output column that is a plain name itself: of a column, or of a whole row. */
function implicitName({ val }: Pick<ResTarget, 'val'>): string {
  const fields = val && 'ColumnRef' in val ? val.ColumnRef.fields : [];
  return textsOf(fields).at(-1) ?? '';
}

function noteTaker({ takers, columnNames }: Found, call: FuncCall): void {
  const { funcname, args = [] } = call;
  columnNames.add(textsOf(funcname).at(-1) ?? '');
  for (const argument of args) {
    const value = 'NamedArgExpr' in argument ? argument.NamedArgExpr.arg : argument;
    if (value && 'ColumnRef' in value) takers.set(value.ColumnRef, call);
  }
}

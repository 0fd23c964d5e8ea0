/**
 * Finds the SELECTs within a write that lock rows and do not wait for them: `(SELECT id FROM job LIMIT 1 FOR UPDATE SKIP LOCKED)` in an
 * expression, in FROM or in WITH. Others are not listed: the write itself then waits for the rows that it changes.
 */
import type { CommonTableExpr, Node, RangeSubselect, SelectStmt, SubLink } from 'libpg-query';
import type { Source } from '../classify/relation-uses.ts';
import { aliasOf, rangesOf } from '../classify/relation-uses.ts';
import { collectNodes, textsOf } from '../parser/syntax-tree.ts';
import { Tokens } from '../parser/tokens.ts';
import type { RelationUse } from '../places.ts';
import type { LockedRelation, LockingPart } from '../read.ts';
import type { ByteRange } from '../splice.ts';
import { lockPlaces, parseSelect } from './lock-clauses.ts';

interface Found {
  /** The ranges of all locking clauses. */
  readonly locking: readonly ByteRange[];
  readonly relations: readonly RelationUse[];
}

/** Each part is parsed once more, with all that is inside of it. */
const maxParts = 8;

/** Returns the SELECTs whose places are certain. Ranges count from the statement's start, as those given. */
export function findLockingParts(
  query: Node,
  { locking, relations }: Found,
  { text, offset }: Source,
): LockingPart[] {
  const clauses = locking.filter(({ start, end }) =>
    /(?:nowait|locked)$/i.test(text.toString('latin1', start, end)),
  );
  if (clauses.length === 0 || clauses.length > maxParts) return [];
  const named = namedParts(query);
  return partsAround(Tokens.of(text), clauses).flatMap((part) => {
    const select = parseSelect(text.subarray(part.start, part.end));
    const first = select === null ? null : firstLocation(select);
    const isNamed = first === null ? undefined : named.get(first + part.start + offset);
    if (select === null || isNamed === undefined) return [];
    const inPart = { text, offset: -part.start };
    const places = lockPlaces(select, relations, inPart, part);
    const locked = places?.relations.filter(({ wait }) => wait !== 'wait') ?? [];
    if (places === null || locked.length === 0 || !hasPlainLimits(select)) return [];
    const columns = columnsOf(select, places.relations, isNamed);
    return columns === null ? [] : [{ ...places, relations: locked, columns, start: part.start }];
  });
}

/**
 * Returns the SELECTs that are queries of their own, by the location of the first relation in their FROM, each with whether the statement
 * may refer to its output columns by name. In the source of an INSERT and in UNION the types of columns depend on what is outside.
 */
function namedParts(query: Node): ReadonlyMap<number, boolean> {
  const of = (part: Node | undefined, isNamed: boolean): [number, boolean][] => {
    const first = part && 'SelectStmt' in part ? firstLocation(part.SelectStmt) : null;
    return first === null ? [] : [[first, isNamed]];
  };
  const links: SubLink[] = collectNodes(query, 'SubLink');
  const inFrom: RangeSubselect[] = collectNodes(query, 'RangeSubselect');
  const inWith: CommonTableExpr[] = collectNodes(query, 'CommonTableExpr');
  return new Map([
    ...links.flatMap(({ subselect }) => of(subselect, false)),
    ...inFrom.flatMap(({ subquery }) => of(subquery, true)),
    ...inWith.flatMap(({ ctequery }) => of(ctequery, true)),
  ]);
}

const firstLocation = ({ fromClause = [] }: SelectStmt): number | null =>
  fromClause.flatMap(rangesOf)[0]?.location ?? null;

/** Returns the insides of the innermost parentheses around each clause. */
function partsAround(tokens: Tokens, clauses: readonly ByteRange[]): ByteRange[] {
  const starts = new Set(clauses.map(({ start }) => start));
  const open: number[] = [];
  const found = new Set<number>();
  for (let at = 0; at < tokens.length; at += 1) {
    const word = tokens.word(at);
    if (word === '(') open.push(at);
    else if (word === ')') open.pop();
    const around = open.at(-1);
    if (around !== undefined && starts.has(tokens.list[at]?.start ?? 0)) found.add(around);
  }
  return [...found].map((around) => {
    const close = [...tokens.outermost(around + 1)].at(-1) ?? tokens.length;
    return tokens.range(around + 1, close);
  });
}

/** Returns whether the limits may be moved out of the SELECT: what they name could mean something else there. */
function hasPlainLimits({ limitCount, limitOffset, limitOption }: SelectStmt): boolean {
  if (limitOption === 'LIMIT_OPTION_WITH_TIES') return false;
  const limits = [limitCount, limitOffset];
  return ['SubLink', 'FuncCall', 'ColumnRef'].every((type) => !collectNodes(limits, type)[0]);
}

/** Returns the output columns; null if one of them is unclear. */
function columnsOf(
  select: SelectStmt,
  relations: readonly LockedRelation[],
  isNamed: boolean,
): LockingPart['columns'] | null {
  const columns = (select.targetList ?? []).map((node) => {
    if (!('ResTarget' in node)) return null;
    const { name, val } = node.ResTarget;
    const unnamed = isNamed ? null : 'column';
    if (name !== undefined || !val || !('ColumnRef' in val)) return name ?? unnamed;
    const { fields = [] } = val.ColumnRef;
    const names = textsOf(fields);
    if (names.length === fields.length) return names.at(-1) ?? unnamed;
    return starOf(names, select, relations);
  });
  const known = columns.filter((column) => column !== null);
  return known.length === columns.length ? known : null;
}

/** Returns the first byte of the only relation whose columns a star stands for; null if it is not one of the locked ones. */
function starOf(
  qualifiers: readonly string[],
  { fromClause = [] }: SelectStmt,
  relations: readonly LockedRelation[],
): number | null {
  const [alias, ...more] = qualifiers;
  const [only, ...others] = fromClause;
  const isAlone = others.length === 0 && only !== undefined && 'RangeVar' in only;
  const name = isAlone && alias === undefined ? aliasOf(only.RangeVar) : alias;
  const [found, ...namesakes] = relations.filter((each) => each.alias === name);
  return more.length > 0 || namesakes.length > 0 ? null : (found?.start ?? null);
}

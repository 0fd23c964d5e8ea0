/** Finds the relations whose rows locking clauses name: FOR UPDATE and the like require the right to UPDATE them. */
import type { LockingClause, Node, RangeVar, SelectStmt } from 'libpg-query';
import type { Source } from '../classify/relation-uses.ts';
import { aliasOf } from '../classify/relation-uses.ts';
import { collectNodes } from '../parser/syntax-tree.ts';
import type { RelationUse } from '../places.ts';
import type { Read } from '../read.ts';

/** Returns the read with the relations that its locking clauses name, in sub-selects, too. */
export function withLockedRelations(read: Read, query: Node, source: Source): Read {
  if (read.locking.length === 0) return read;
  const uses = new Map(read.relations.map((use) => [use.start, use]));
  const selects: SelectStmt[] = collectNodes(query, 'SelectStmt');
  const lockedRelations = selects.flatMap(({ fromClause = [], lockingClause = [] }) =>
    lockingClause
      .flatMap((node) =>
        'LockingClause' in node ? rangesLocked(node.LockingClause, fromClause) : [],
      )
      .flatMap((range) => useOf(range, uses, source)),
  );
  return { ...read, lockedRelations };
}

/** Returns nothing for the name of a WITH query, because its rows are not locked. */
function useOf(
  { location = 0 }: RangeVar,
  uses: ReadonlyMap<number, RelationUse>,
  source: Source,
): RelationUse[] {
  const use = uses.get(location - source.offset);
  return use === undefined ? [] : [use];
}

/**
 * Lists what a clause locks in a FROM. Without names it locks everything, including the tables of sub-selects. PostgreSQL refuses names of
 * joins.
 */
function rangesLocked({ lockedRels }: LockingClause, from: readonly Node[]): RangeVar[] {
  const names = lockedRels?.flatMap((node) => ('RangeVar' in node ? [node.RangeVar.relname] : []));
  const found: RangeVar[] = [];
  const pending = from.map((node) => ({ node, isInside: false }));
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node, isInside } = next;
    const isLocked = isInside || names === undefined || names.includes(nameOf(node));
    if ('RangeVar' in node && isLocked) found.push(node.RangeVar);
    // names do not apply within a sub-select
    const isInner = 'JoinExpr' in node ? isInside : isLocked;
    const inner = 'JoinExpr' in node || isLocked ? partsOf(node) : [];
    pending.push(...inner.map((each) => ({ node: each, isInside: isInner })));
  }
  return found;
}

/** Returns the name by which a clause refers to an element of FROM. */
function nameOf(node: Node): string | undefined {
  if ('RangeVar' in node) return aliasOf(node.RangeVar);
  return 'RangeSubselect' in node ? node.RangeSubselect.alias?.aliasname : undefined;
}

/** Returns the elements inside of a join, or in the FROM of a sub-select. */
function partsOf(node: Node): readonly Node[] {
  if ('JoinExpr' in node)
    return [node.JoinExpr.larg, node.JoinExpr.rarg].flatMap((side) => side ?? []);
  const query = 'RangeSubselect' in node ? node.RangeSubselect.subquery : undefined;
  return query && 'SelectStmt' in query ? (query.SelectStmt.fromClause ?? []) : [];
}

/** Classifies TRUNCATE. */
import type { Node, TruncateStmt } from 'libpg-query';
import { noCalls } from '../../functions/calls.ts';
import type { RelationUse } from '../../places.ts';
import type { Refusal } from '../../refusal.ts';
import type { TruncateWrite } from '../../write.ts';
import { refuse } from '../refusal.ts';
import { refusedTarget, unreadableName } from '../refused-parts.ts';
import type { Source } from '../relation-uses.ts';
import { locateRelation } from '../relation-uses.ts';

const restartIdentity = refuse(
  'TRUNCATE ... RESTART IDENTITY cannot be staged',
  "Leave RESTART IDENTITY out: sequences are production's own, and are restarted by a migration.",
);

/** Classifies a TRUNCATE by its tables. */
export function classifyTruncate(statement: TruncateStmt, source: Source): TruncateWrite | Refusal {
  if (statement.restart_seqs) return restartIdentity;
  const relations: RelationUse[] = [];
  for (const node of statement.relations ?? []) {
    const target = classifyTarget(node, source);
    if ('kind' in target) return target;
    relations.push(target);
  }
  // The call that replaces a TRUNCATE checks the privileges, because it knows the tables to which it cascades.
  return {
    kind: 'write',
    form: 'truncate',
    relations,
    ...noCalls,
    unclear: [],
    rights: [],
    cascades: statement.behavior === 'DROP_CASCADE',
    range: { start: 0, end: source.text.length },
  };
}

function classifyTarget(node: Node, source: Source): RelationUse | Refusal {
  if (!('RangeVar' in node)) return unreadableName;
  const { schemaname, relname } = node.RangeVar;
  return (
    refusedTarget(schemaname, relname) ??
    locateRelation(node.RangeVar, source, 'DELETE') ??
    unreadableName
  );
}

/** Locates the parts of a MERGE, for servers that cannot merge into a view. */
import type { MergeStmt, MergeWhenClause, Node } from 'libpg-query';
import type { Source } from '../classify/relation-uses.ts';
import { CallNotes } from '../functions/call-uses.ts';
import { parseTree } from '../parser/parser.ts';
import { collectNodes } from '../parser/syntax-tree.ts';
import { Tokens, withCases } from '../parser/tokens.ts';
import type { TextPart } from '../places.ts';
import type { ByteRange } from '../splice.ts';
import type { Merge, MergeParts, Right } from '../write.ts';
import { shapeOf } from './upserts.ts';

/**
 * Returns the alias of a MERGE's target, the places of its parts, and its calls.
 * @param target first byte of the target's name
 */
export function locateMerge(merge: MergeStmt, target: number, source: Source): Merge {
  const { relation, sourceRelation, joinCondition, withClause } = merge;
  const matching = [sourceRelation, joinCondition, withClause];
  const calls = new CallNotes();
  for (const call of collectNodes(matching, 'FuncCall')) calls.noteCall(call);
  for (const column of collectNodes(matching, 'ColumnRef')) calls.noteColumn(column);
  for (const node of collectNodes(matching, 'A_Indirection')) calls.noteIndirection(node);
  return {
    target,
    alias: relation?.alias?.aliasname ?? null,
    parts: locateParts(merge, target, source),
    ...calls.all(),
    // If evaluated twice, these may return other rows the second time.
    samples:
      collectNodes(matching, 'RangeTableSample').length > 0 ||
      collectNodes(matching, 'SelectStmt').some((select) => 'limitCount' in select) ||
      collectNodes(matching, 'SelectStmt').some((select) => 'limitOffset' in select),
  };
}

interface MergeAction {
  readonly operation: Right['operation'];
  readonly clause: MergeWhenClause;
}

/** Returns the actions that a MERGE may take on its target. */
export function actionsOf({ mergeWhenClauses = [] }: MergeStmt): MergeAction[] {
  return mergeWhenClauses.flatMap((node) => {
    if (!('MergeWhenClause' in node)) return [];
    const clause = node.MergeWhenClause;
    const operation = operations[clause.commandType ?? ''];
    return operation === undefined ? [] : [{ operation, clause }];
  });
}

const operations: Readonly<Record<string, Right['operation']>> = {
  CMD_INSERT: 'INSERT',
  CMD_UPDATE: 'UPDATE',
  CMD_DELETE: 'DELETE',
};

/** Locates the parts of `[WITH ...] MERGE INTO target USING source ON condition WHEN ...`; null if no split matches the tree. */
function locateParts(merge: MergeStmt, target: number, source: Source): MergeParts | null {
  const { sourceRelation, joinCondition } = merge;
  if (!sourceRelation || !joinCondition) return null;
  const tokens = Tokens.of(source.text);
  const next = (word: string, behind: number) => tokens.find([word], behind + 1, withCases);
  let verb = tokens.from(target) - 1;
  while (verb >= 0 && tokens.word(verb) !== 'merge') verb -= 1;
  const into = next('into', verb);
  const using = next('using', into);
  const when = next('when', using);
  for (let on = next('on', using); on < when; on = next('on', on)) {
    const between = (before: number, after: number) =>
      partOf(source, tokens.range(before + 1, after));
    const parts = {
      ctes: merge.withClause ? partOf(source, ctesBefore(tokens, verb)) : null,
      target: between(into, using),
      source: between(using, on),
      condition: between(on, when),
    };
    if (showsTree(parts, sourceRelation, joinCondition)) return parts;
  }
  return null;
}

/** Returns whether the parts parse to the statement's own trees: the ON found may belong to a join in the source. */
function showsTree(parts: MergeParts, relation: Node, condition: Node): boolean {
  try {
    const query = `SELECT FROM ${parts.source.text}\nWHERE ${parts.condition.text}`;
    const [first, ...more] = parseTree(Buffer.from(query)).stmts ?? [];
    if (!first?.stmt || more.length > 0 || !('SelectStmt' in first.stmt)) return false;
    const { fromClause = [], whereClause } = first.stmt.SelectStmt;
    const [from] = fromClause;
    return (
      fromClause.length === 1 &&
      from !== undefined &&
      whereClause !== undefined &&
      shapeOf(from) === shapeOf(relation) &&
      shapeOf(whereClause) === shapeOf(condition)
    );
  } catch {
    return false;
  }
}

/** Returns the range from the first WITH to the verb. The WITH is that of the statement, or of the body of a PREPARE. */
function ctesBefore(tokens: Tokens, verb: number): ByteRange {
  const first = tokens.list.findIndex((_, at) => tokens.word(at) === 'with');
  return { start: tokens.range(first, verb).start, end: tokens.range(verb, verb + 1).start };
}

function partOf({ text }: Source, { start, end }: ByteRange): TextPart {
  return { start, end, text: text.subarray(start, end) };
}

/** MERGE: where its parts stand, for servers that cannot merge into a view. */
import type { MergeStmt, MergeWhenClause, Node, ScanToken } from 'libpg-query';
import type { Source } from '../classify/relation-uses.ts';
import { CallNotes } from '../functions/call-uses.ts';
import { parseTree, scanTokens } from '../parser/parser.ts';
import { collectNodes } from '../parser/syntax-tree.ts';
import type { Merge, MergeParts, Right, TextPart } from '../verdict.ts';
import { shapeOf } from './upserts.ts';

/**
 * Tells of a MERGE what its target is called, and where its parts stand.
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
    // Run twice, these may give other rows the second time.
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

/** What a MERGE may do to its target. */
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

/** `[WITH ...] MERGE INTO target USING source ON condition WHEN ...`; null when the bytes do not show the tree. */
function locateParts(merge: MergeStmt, target: number, source: Source): MergeParts | null {
  const { sourceRelation, joinCondition } = merge;
  if (!sourceRelation || !joinCondition) return null;
  const tokens = scanTokens(source.text);
  const verb = tokens.findLastIndex(
    (token) => (token.start ?? 0) < target && isWord(token, 'merge'),
  );
  const into = nextAtDepth(tokens, verb, 'into');
  const using = nextAtDepth(tokens, into, 'using');
  const when = nextAtDepth(tokens, using, 'when');
  for (let on = nextAtDepth(tokens, using, 'on'); on < when; on = nextAtDepth(tokens, on, 'on')) {
    const parts = {
      ctes: merge.withClause ? partOf(source, bodyStart(tokens), startOf(tokens, verb)) : null,
      target: between(source, tokens, into, using),
      source: between(source, tokens, using, on),
      condition: between(source, tokens, on, when),
    };
    if (showsTree(parts, sourceRelation, joinCondition)) return parts;
  }
  return null;
}

/** Which ON is the statement's own, a join in its source leaves open: what is cut out must mean what the tree says. */
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

/** The first token of the WITH clause of the MERGE: of the statement, or of the body of a PREPARE. */
function bodyStart(tokens: readonly ScanToken[]): number {
  return tokens.find((token) => isWord(token, 'with'))?.start ?? 0;
}

/** The next such word behind a token, outside of parentheses and of CASE; the number of tokens if there is none. */
function nextAtDepth(tokens: readonly ScanToken[], from: number, word: string): number {
  let depth = 0;
  for (let at = from + 1; at < tokens.length && from >= 0; at += 1) {
    const token = tokens[at];
    if (token?.text === ')' || isWord(token, 'end')) depth -= 1;
    else if (depth === 0 && isWord(token, word)) return at;
    else if (token?.text === '(' || isWord(token, 'case')) depth += 1;
  }
  return tokens.length;
}

const isWord = (token: ScanToken | undefined, word: string) =>
  token !== undefined && token.keywordKind !== 0 && token.text.toLowerCase() === word;

const startOf = (tokens: readonly ScanToken[], at: number) => tokens[at]?.start ?? 0;

function between(source: Source, tokens: readonly ScanToken[], before: number, after: number) {
  return partOf(source, startOf(tokens, before + 1), tokens[after - 1]?.end ?? 0);
}

function partOf({ text }: Source, start: number, end: number): TextPart {
  return { start, end, text: text.subarray(start, end) };
}

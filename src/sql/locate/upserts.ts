/** Locates and parses the ON CONFLICT clause of an INSERT. */

import type { ColumnRef, InsertStmt, Node, OnConflictClause, RangeVar } from 'libpg-query';
import type { Source } from '../classify/relation-uses.ts';
import { locateRelation } from '../classify/relation-uses.ts';
import type { Scope } from '../classify/scope.ts';
import { isInScope } from '../classify/scope.ts';
import { collectNodes, textsOf } from '../parser/syntax-tree.ts';
import { Tokens } from '../parser/tokens.ts';
import type { ByteRange } from '../splice.ts';
import type { Arbiter, ClausePart, Upsert } from '../write.ts';

/**
 * Locates the ON CONFLICT clause of an INSERT.
 * @param target first byte of the target's name
 * @returns null if there is none, or if the text does not match the parse tree
 */
export function locateUpsert(insert: InsertStmt, target: number, source: Source): Upsert | null {
  const clause = insert.onConflictClause;
  if (!clause) return null;
  const tokens = Tokens.of(source.text);
  const start = (clause.location ?? 0) - source.offset;
  const at = tokens.at(start);
  const parts = at < 0 ? null : clauseParts(tokens, at);
  if (parts === null || (parts.set === null) !== (clause.action === 'ONCONFLICT_NOTHING'))
    return null;
  if ((parts.where === null) !== (clause.whereClause === undefined)) return null;
  const alias = insert.relation?.alias?.aliasname ?? null;
  return {
    target,
    alias: alias ?? nameIn(insert, source),
    clause: { start, end: parts.end },
    arbiter: arbiterOf(clause, partOf(parts.words, source, tokens), alias),
    set: partOf(parts.set, source, tokens),
    where: partOf(parts.where, source, tokens),
  };
}

/** Returns the name by which the clause refers to a target without an alias. */
function nameIn({ relation }: InsertStmt, source: Source): string {
  return (relation && locateRelation(relation, source, 'INSERT')?.name) ?? '';
}

function partOf(range: ByteRange, source: Source, tokens: Tokens): ClausePart;
function partOf(range: ByteRange | null, source: Source, tokens: Tokens): ClausePart | null;
function partOf(range: ByteRange | null, { text }: Source, tokens: Tokens): ClausePart | null {
  if (range === null) return null;
  const inside = tokens.list.slice(tokens.from(range.start), tokens.from(range.end));
  return {
    ...range,
    text: text.subarray(range.start, range.end),
    parameters: inside.flatMap(({ text: word, start, end }) =>
      parameterToken.test(word) ? [{ start, end, number: Number(word.slice(1)) }] : [],
    ),
  };
}

/** No dollar quote begins with a digit. */
const parameterToken = /^\$\d+$/;

/** Returns whether RETURNING requests the old row. An INSERT into a view cannot return it, even if it became an UPDATE. */
export function returnsOldRow({ returningClause, onConflictClause }: InsertStmt): boolean {
  if (onConflictClause?.action !== 'ONCONFLICT_UPDATE' || !returningClause) return false;
  const names = (returningClause.options ?? []).flatMap((node) =>
    'ReturningOption' in node && node.ReturningOption.option === 'RETURNING_OPTION_OLD'
      ? [node.ReturningOption.value]
      : [],
  );
  const columns: ColumnRef[] = collectNodes(returningClause.exprs, 'ColumnRef');
  return columns.some(({ fields }) => ['old', ...names].includes(textsOf(fields)[0]));
}

/** Returns whether DO UPDATE reads a WITH query. That query does not exist where the service runs the DO UPDATE. */
export function readsCte({ targetList, whereClause }: OnConflictClause, scope: Scope): boolean {
  const relations: RangeVar[] = collectNodes([targetList, whereClause], 'RangeVar');
  return relations.some(
    ({ schemaname, relname }) => schemaname === undefined && isInScope(relname, scope),
  );
}

/** Returns the expressions of an ON CONFLICT clause that are compared with those of indexes. */
export function inferredFrom({ infer }: OnConflictClause): (Node | undefined)[] {
  const elements = (infer?.indexElems ?? []).map((node) =>
    'IndexElem' in node ? node.IndexElem.expr : node,
  );
  return [...elements, infer?.whereClause];
}

/** Returns the condition by which a row conflicts. */
function arbiterOf({ infer }: OnConflictClause, words: ClausePart, alias: string | null): Arbiter {
  if (infer === undefined) return { kind: 'any' };
  if (infer.conname !== undefined) return { kind: 'constraint', name: infer.conname };
  const elements = (infer.indexElems ?? []).map((node) => elementShape(node));
  const predicate = infer.whereClause === undefined ? null : shapeOf(infer.whereClause);
  return { kind: 'index', elements, predicate, words, alias };
}

/** Returns `column name`, or an expression in normalized form. An element with an operator class or a collation matches no index. */
function elementShape(node: Node): string {
  const { name, expr, collation, opclass } = 'IndexElem' in node ? node.IndexElem : {};
  if (collation !== undefined || opclass !== undefined) return shapeOf(node);
  if (name !== undefined) return columnShape(name);
  return shapeOf(expr ?? node);
}

/** Returns the normalized form of a plain column as an index element. */
export const columnShape = (name: string) => `column ${name}`;

/** Fields with positions in the text. */
const places = /^location$|_(?:location|start|end)$/;

/** Serializes a parse tree without positions, schemas of functions, and the casts to text that PostgreSQL adds to stored expressions. */
export function shapeOf(node: Node): string {
  return JSON.stringify(node, (key, value) => {
    if (places.test(key)) return undefined;
    if (key === 'funcname' && Array.isArray(value)) return value.slice(-1);
    return withoutTextCast(value);
  });
}

function withoutTextCast(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('TypeCast' in value)) return value;
  const { arg, typeName } = (value as Extract<Node, { TypeCast: unknown }>).TypeCast;
  const last = typeName?.names?.at(-1);
  const isText = last !== undefined && 'String' in last && last.String.sval === 'text';
  return isText ? withoutTextCast(arg) : value;
}

interface ClauseParts {
  /** Between ON CONFLICT and DO. */
  readonly words: ByteRange;
  readonly set: ByteRange | null;
  readonly where: ByteRange | null;
  readonly end: number;
}

/** Parses `ON CONFLICT ... DO NOTHING` or `... DO UPDATE SET ... [WHERE ...]`, up to RETURNING or the end of the INSERT. */
function clauseParts(tokens: Tokens, at: number): ClauseParts | null {
  const action = tokens.find(['do'], at);
  const words = tokens.range(at + 2, action);
  if (tokens.word(action + 1) === 'nothing') {
    return { words, set: null, where: null, end: tokens.range(action, action + 2).end };
  }
  if (tokens.word(action + 1) !== 'update' || tokens.word(action + 2) !== 'set') return null;
  const where = tokens.find(['where', 'returning'], action + 3);
  const set = tokens.range(action + 3, where);
  if (tokens.word(where) !== 'where') return { words, set, where: null, end: set.end };
  const condition = tokens.range(where + 1, tokens.find(['returning'], where + 1));
  return { words, set, where: condition, end: condition.end };
}

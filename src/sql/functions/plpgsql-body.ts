/**
 * Parses PL/pgSQL bodies. The parser returns the texts of their expressions, but not their places, so this module finds them by tokens. The
 * result is verified afterwards: the body with names replaced must have exactly the expected expressions.
 */
import { parsePlpgsql, parseTree, scanTokens } from '../parser/parser.ts';
import { collectNodes, textsOf } from '../parser/syntax-tree.ts';
import { isSameRange, spliceBytes } from '../splice.ts';
import { systemColumns } from '../system-columns.ts';
import type { BodyReplacement } from './body-upserts.ts';
import type { BodyUses, Extent, FunctionBody } from './body-uses.ts';
import { mergedUses, movedUses, usesOf } from './body-uses.ts';
import type { TriggerFacts } from './fold-text.ts';
import { withPrecedingCalls } from './plpgsql-calls.ts';
import { missingDefaults } from './plpgsql-defaults.ts';
import { handlersOfOthers, passesOthersOn, withoutInserted } from './plpgsql-handlers.ts';
import { hasHazard } from './plpgsql-hazards.ts';
import type { Expression, Part } from './plpgsql-parts.ts';
import { inBody, locateParts, placeOf } from './plpgsql-parts.ts';
import type { RunTexts } from './plpgsql-texts.ts';
import { readTexts, replaceTexts, runsIn } from './plpgsql-texts.ts';
import type { RowTypes } from './plpgsql-types.ts';
import {
  declaredRows,
  declaredTypes,
  replaceRowTypes,
  replaceScalarTypes,
} from './plpgsql-types.ts';

/**
 * Parses a body. Returns null for one with a statement beyond the extent, or that runs a text which cannot be followed.
 * @param facts set for the function of a trigger
 */
export async function readPlpgsql(
  head: string,
  text: string,
  extent: Extent = 'reads',
  tables: readonly string[] = [],
  facts: TriggerFacts | null = null,
): Promise<FunctionBody | null> {
  const body = Buffer.from(text);
  const usesIn = (query: Buffer, mode: number) => usesOfExpression(query, mode, extent, tables);
  const expressions = await expressionsOf(head, text, extent, usesIn, (tree) =>
    readTexts(tree, extent, facts, (query) => usesIn(query, statementMode)),
  );
  const parts = expressions && locateParts(scanTokens(body), expressions);
  if (!parts) return null;
  const merged = mergedUses(parts.flatMap((part) => [inBody(part), ...runsIn(part)]));
  const uses = { ...merged, declared: declaredRows(body) };
  // guard: an exception block for OTHERS passes on what the service refuses
  const handlers = extent === 'reads' ? [] : handlersOfOthers(scanTokens(body));
  return {
    uses,
    replaced: async (replacements) => {
      // An insertion covers no text of the body, so it cannot be assigned to a part.
      if (replacements.some(({ start, end }) => !(start < end))) return null;
      const inTexts = replaceTexts(parts, replacements);
      if (inTexts === null) return null;
      const all = [...inTexts.replacements, ...inTexts.texts];
      const made = spliceBytes(body, [...withPrecedingCalls(body, all), ...handlers]);
      // the text contains names of overlays, to which no statement may write, so only its words are compared
      const found = await expressionsOf(head, made.toString(), extent, () => mergedUses([]), null);
      const wanted = parts.map((part) => splicePart(part, all));
      const calls = all.flatMap(({ call }) => call ?? []);
      const own = withoutInserted(found ?? [], handlers.length, calls);
      return found !== null && own !== null && isSame(own, wanted) ? made : null;
    },
  };
}

const noText = Buffer.alloc(0);

/**
 * Returns all expressions, always in the same order; null if one of them may do more than read, or cannot be parsed.
 * @param textsIn follows the texts that the body runs; null for a copy
 */
async function expressionsOf(
  head: string,
  body: string,
  extent: Extent,
  usesIn: (query: Buffer, mode: number) => BodyUses | null,
  textsIn: ((tree: object) => RunTexts | null) | null,
): Promise<Expression[] | null> {
  const parsed = await parseBody(head, body, extent, textsIn === null);
  if (parsed === null) return null;
  const { tree, rows } = parsed;
  const texts: RunTexts | null = textsIn === null ? new Map() : textsIn(tree);
  // guard: a text that a body runs is followed
  if (texts === null) return null;
  const missing = missingDefaults(tree, rows.body);
  if (missing === null) return null;
  const types = declaredTypes(tree, rows.names);
  if (types === null) return null;
  // guard: code that runs for a declared type is known
  const expressions: Expression[] = [{ text: noText, uses: { ...mergedUses([]), unclear: types } }];
  // guard: defaults of variables are checked, also where the parser does not return them
  const others = missing.map((query) => ({ query, parseMode: expressionMode }));
  for (const fields of [...collectNodes(tree, 'PLpgSQL_expr'), ...others]) {
    const { query, parseMode = 0 } = fields as { query: string; parseMode?: number };
    const uses = rows.isIn(query) ? null : usesIn(Buffer.from(query), parseMode);
    if (uses === null) return null;
    const run = texts.get(fields);
    expressions.push({ text: Buffer.from(query), uses, ...(run && { run }) });
  }
  // each text that a body runs belongs to one of its expressions
  return expressions.filter(({ run }) => run).length === texts.size ? expressions : null;
}

/** Parses a body, if need be with other types that its declarations may have. Returns null where `treeWithin` does. */
async function parseBody(
  head: string,
  body: string,
  extent: Extent,
  isCopy: boolean,
): Promise<{ readonly tree: object; readonly rows: RowTypes } | null> {
  const tag = `$body${body.includes('$body') ? body.length : ''}$`;
  const found = replaceRowTypes(Buffer.from(body));
  if (body.includes(tag) || found === null) return null;
  for (const rows of [found, replaceScalarTypes(found)]) {
    const text = `CREATE FUNCTION ${head} LANGUAGE plpgsql AS ${tag}${rows.body}${tag}`;
    const tree = await treeWithin(text, Buffer.from(body), extent, isCopy);
    if (tree !== null) return { tree, rows };
  }
  return null;
}

/** Returns the parsed text of a function; null if it has statements beyond the extent, or handles errors that it must not handle. */
async function treeWithin(
  text: string,
  body: Buffer,
  extent: Extent,
  isCopy: boolean,
): Promise<object | null> {
  const tree = await parsePlpgsql(Buffer.from(text), body);
  // in a copy, CALL stands for NOTIFY
  const types = extent === 'reads' && !isCopy ? [...always, 'PLpgSQL_stmt_call'] : always;
  if (tree === null || types.some((type) => collectNodes(tree, type).length > 0)) return null;
  if (extent === 'reads') return tree;
  // guard: no exception block of code that writes catches a refusal of the service
  if (hasHazard(tree)) return null;
  // guard: errors are passed on by exception blocks, not by a CASE that looks like one
  if (isCopy && !passesOthersOn(tree)) return null;
  return tree;
}

/** The node types of statements that end transactions. */
const always = ['PLpgSQL_stmt_commit', 'PLpgSQL_stmt_rollback'];

/** PL/pgSQL's parse modes: a statement, an expression; larger values are assignments. */
const statementMode = 0;
const expressionMode = 2;
const keyword = 'SELECT ';

function usesOfExpression(
  text: Buffer,
  mode: number,
  extent: Extent,
  tables: readonly string[],
): BodyUses | null {
  const start = mode > expressionMode ? behindAssignment(text) : 0;
  if (start === null) return null;
  const prefix = mode === statementMode ? '' : keyword;
  const query = Buffer.concat([Buffer.from(prefix), text.subarray(start)]);
  const isPart = extent === 'rows' && mode !== statementMode;
  const uses = usesOf(query, isPart ? 'reads' : extent, extent !== 'reads');
  if (uses === null || inspectsRowVersions(query, tables)) return null;
  return movedUses(uses, (at) => at - prefix.length + start);
}

/** Returns the start of the assigned value; null if a parenthesis comes first, since an element of the target may contain a call. */
function behindAssignment(text: Buffer): number | null {
  for (const { text: token, end } of scanTokens(text)) {
    if (token === '(') return null;
    if (token === ':=' || token === '=') return end;
  }
  return null;
}

interface Named {
  readonly schemaname?: string;
  readonly relname?: string;
  readonly funcname?: Parameters<typeof textsOf>[0];
  readonly alias?: { readonly aliasname?: string };
}

/** Functions of the server whose results in FROM are single values, and no rows of a table. */
const valueFunctions =
  /^(?:generate_(?:series|subscripts)|unnest|(?:string|regexp_split)_to_table|regexp_matches|jsonb?_(?:object_keys|array_elements(?:_text)?)|jsonb_path_query)$/;

function returnsValues(funcname: Named['funcname']): boolean {
  const [name = '', schema = 'pg_catalog', ...more] = textsOf(funcname).reverse();
  return schema === 'pg_catalog' && more.length === 0 && valueFunctions.test(name);
}

/**
 * Returns whether a query refers to whole rows, or to columns that only a table has. PostgreSQL validates SQL bodies when they are created;
 * a PL/pgSQL body would fail only when it runs. A name that is that of a table and of one of its columns counts as the row.
 * @param tables the names of transition tables
 */
function inspectsRowVersions(query: Buffer, tables: readonly string[]): boolean {
  const tree = parseTree(query);
  const rows = [
    ...collectNodes(tree, 'RangeVar').map((fields) => {
      const { schemaname, relname, alias } = fields as Named;
      // rows of a transition table are those of the table
      const isTransition = schemaname === undefined && tables.includes(relname ?? '');
      return isTransition ? '' : (alias?.aliasname ?? relname ?? '');
    }),
    ...collectNodes(tree, 'RangeFunction').flatMap((fields) => {
      const called = collectNodes(fields, 'FuncCall').map(({ funcname }: Named) => funcname);
      if (called.every(returnsValues)) return [];
      const names = called.map((funcname) => textsOf(funcname).at(-1) ?? '');
      return [...names, (fields as Named).alias?.aliasname ?? ''];
    }),
  ];
  const lists = allColumns(tree);
  return collectNodes(tree, 'ColumnRef').some((fields) => {
    if (lists.has(fields)) return false;
    const names = textsOf((fields as { fields?: Parameters<typeof textsOf>[0] }).fields);
    return (
      systemColumns.has(names.at(-1) ?? '') || (names.length === 1 && rows.includes(names[0] ?? ''))
    );
  });
}

/** Returns the references such as `t.*` that stand for columns of a result; elsewhere they stand for a whole row. */
function allColumns(tree: ReturnType<typeof parseTree>): ReadonlySet<object> {
  const values = collectNodes(tree, 'ResTarget').map((fields) => {
    const { val } = fields as { val?: { ColumnRef?: { fields?: readonly object[] } } };
    return val?.ColumnRef;
  });
  return new Set(
    values.flatMap((value) => (value?.fields?.some((each) => 'A_Star' in each) ? [value] : [])),
  );
}

/** Returns the spliced text of a part. */
function splicePart(part: Part, replacements: readonly BodyReplacement[]): Buffer {
  const place = part.run && placeOf(part);
  const text = place && replacements.find((each) => isSameRange(each, place));
  if (text) return Buffer.from(text.text);
  const [before, after] = [part.uses, inBody(part)].map((uses) => [
    ...uses.relations,
    ...uses.called,
    ...uses.qualifiers,
    ...uses.wholeRows,
    ...uses.groupings.map(({ start }) => ({ start, end: start })),
    ...uses.locking,
    ...uses.upserts.flatMap(({ clause, first }) => [clause, first]),
    ...uses.callers.map(({ first }) => first),
    ...uses.operations.map(({ first }) => first),
  ]);
  const inside = (before ?? []).flatMap(({ start, end }, index) => {
    const place = after?.[index];
    const replacement = place && replacements.find((each) => isSameRange(each, place));
    return replacement ? [{ start, end, text: replacement.text }] : [];
  });
  // several of them may begin with the same word
  const once = new Map(inside.map((each) => [each.start, each])).values();
  return spliceBytes(part.text, [...once]);
}

function isSame(found: readonly Buffer[], wanted: readonly Buffer[]): boolean {
  const words = (texts: readonly Buffer[]) =>
    JSON.stringify(texts.map((text) => scanTokens(text).map((token) => token.text)));
  return words(found) === words(wanted);
}

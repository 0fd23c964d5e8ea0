/** The texts that PL/pgSQL bodies run by EXECUTE: the names in them are replaced like those of the body. */
import type { ScanToken } from 'libpg-query';
import { scanTokens } from '../parser/parser.ts';
import { collectNodes } from '../parser/syntax-tree.ts';
import { isWithin, spliceBytes } from '../splice.ts';
import type { BodyReplacement } from './body-upserts.ts';
import type { BodyUses, Extent } from './body-uses.ts';
import { movedUses } from './body-uses.ts';
import { followText } from './dynamic-text.ts';
import type { TriggerFacts } from './fold-text.ts';
import type { Part, RunText } from './plpgsql-parts.ts';
import { placeOf } from './plpgsql-parts.ts';

/** The texts by the expressions that yield them. */
export type RunTexts = ReadonlyMap<object, RunText>;

/** The places of each text begin at a multiple of this number: no body is so long. */
export const textBase = 2 ** 31;

interface Running {
  readonly query?: { readonly PLpgSQL_expr?: object };
  readonly dynquery?: { readonly PLpgSQL_expr?: object };
}

/**
 * Returns the texts that a body runs; null if one of them cannot be followed.
 * @param tree the parsed body
 * @param usesOfText returns what a text uses; null if it is beyond the extent
 */
export function readTexts(
  tree: object,
  extent: Extent,
  facts: TriggerFacts | null,
  usesOfText: (text: Buffer) => BodyUses | null,
): RunTexts | null {
  const expressions = expressionsRun(tree);
  const texts = new Map<object, RunText>();
  if (expressions.length === 0) return texts;
  // guard: no exception block hides that a text is not the one that was followed
  if (extent === 'reads' && collectNodes(tree, 'PLpgSQL_exception').length > 0) return null;
  const assigned = assignedIn(tree);
  // guard: a variable of the function is not taken for one of the trigger
  if (facts !== null && Object.keys(facts.names).some((name) => assigned.has(name))) return null;
  for (const [index, each] of expressions.entries()) {
    const { query = '' } = each as { readonly query?: string };
    const text = followText(query, { facts, assigned });
    const uses = text && usesOfText(text.parsed);
    if (!uses || (text.namesColumns && !mayNameColumns(uses))) return null;
    const base = textBase * (index + 1);
    const runsVariableText = !isFixed(query);
    texts.set(each, {
      ...text,
      base,
      uses: { ...movedUses(uses, (at) => at + base), runsVariableText },
    });
  }
  return texts;
}

/** Returns whether an expression yields a text that no variable and no operator changes, other than by quoted names and values. */
const isFixed = (expression: string) =>
  // guard: no operator of a user joins a text that runs without a comparison
  !scanTokens(Buffer.from(expression)).some(({ text }) => text === '||') &&
  followText(expression, { facts: null, assigned: new Map() }) !== null;

/** Returns whether the columns that a text reads may be known only when it runs. What a write sets, or a grouping completes, may not. */
const mayNameColumns = ({ rights, groupings }: BodyUses) =>
  // guard: a write names the columns that it reads
  rights.length + groupings.length === 0;

/** Returns the expressions whose values a body runs. */
function expressionsRun(tree: object): object[] {
  const nodes = ['PLpgSQL_stmt_dynexecute', 'PLpgSQL_stmt_dynfors'].flatMap(
    (type) => collectNodes(tree, type) as readonly Running[],
  );
  const queries = nodes.map(({ query }) => query?.PLpgSQL_expr ?? {});
  const others = collectNodes(tree, 'dynquery') as readonly { readonly PLpgSQL_expr?: object }[];
  return [...queries, ...others.map(({ PLpgSQL_expr }) => PLpgSQL_expr ?? {})];
}

interface Variable {
  readonly refname?: string;
  readonly default_val?: { readonly PLpgSQL_expr?: { readonly query?: string } };
}

/** Returns the expression that each variable gets, where it gets one. */
function assignedIn(tree: object): ReadonlyMap<string, string> {
  const given: [string, string][] = [];
  for (const { refname = '', default_val } of collectNodes(tree, 'PLpgSQL_var') as Variable[])
    if (default_val?.PLpgSQL_expr?.query !== undefined)
      given.push([refname, default_val.PLpgSQL_expr.query]);
  for (const statement of collectNodes(tree, 'PLpgSQL_stmt_assign')) {
    const { expr } = statement as { readonly expr?: Variable['default_val'] };
    const query = Buffer.from(expr?.PLpgSQL_expr?.query ?? '');
    const [name, sign] = scanTokens(query);
    if (name && sign && isAssigning(sign))
      given.push([name.text.toLowerCase(), query.subarray(sign.end).toString()]);
  }
  const counts = new Map<string, number>();
  for (const [name] of given) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(given.filter(([name]) => counts.get(name) === 1));
}

const isAssigning = ({ text }: ScanToken) => text === ':=' || text === '=';

/** Returns what a part's text uses, if it runs one. */
export const runsIn = ({ run }: Part): BodyUses[] => (run ? [run.uses] : []);

/**
 * Divides replacements into those of the body and those of the texts that it runs, and returns for each text the expression that replaces its
 * own, with the calls that precede the statement. Returns null where something would change that cannot be followed.
 */
export function replaceTexts(
  parts: readonly Part[],
  replacements: readonly BodyReplacement[],
): { replacements: readonly BodyReplacement[]; texts: readonly BodyReplacement[] } | null {
  const own = replacements.filter(({ start }) => start < textBase);
  const texts: BodyReplacement[] = [];
  for (const part of parts) {
    if (!part.run) continue;
    const { base, parsed, expression } = part.run;
    const place = placeOf(part);
    const inside = replacements.filter(({ start }) => start >= base && start < base + textBase);
    const calls = inside.filter(({ call }) => call !== undefined);
    // guard: nothing with values is called before a text that is run, and no name in the expression that yields it is replaced
    if (calls.some(({ isFixed }) => isFixed !== true) || own.some((each) => isWithin(each, place)))
      return null;
    const call = calls.map((each) => each.call).join(' AND ');
    const moved = inside.map(({ start, end, text }) => ({
      start: start - base,
      end: end - base,
      text,
    }));
    const text = expression(spliceBytes(parsed, moved));
    if (text === null) return null;
    texts.push({ ...place, text, ...(call !== '' && { call }) });
  }
  return { replacements: own, texts };
}

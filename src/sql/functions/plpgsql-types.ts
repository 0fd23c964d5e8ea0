/** The types that a PL/pgSQL body declares. PostgreSQL runs code for them: the checks of domains, and casts. */
import { readName } from '../parser/identifier-reader.ts';
import { scanTokens } from '../parser/parser.ts';
import { collectNodes } from '../parser/syntax-tree.ts';
import { spliceBytes } from '../splice.ts';
import type { BodyUses, DeclaredType } from './body-uses.ts';
import { usesOf } from './body-uses.ts';
import { declarationsIn } from './plpgsql-defaults.ts';

/** The type that replaces each %ROWTYPE. The parser takes an unknown type for a row type, and does not check the row's columns. */
const rowType = '_stage_row';

/** A body in which the rows of all tables have one type. The parser has no catalog, so it accepts any column of such a row. */
export interface RowTypes {
  readonly body: Buffer;
  /** The names before %ROWTYPE, and those of other replaced types, as in the body. */
  readonly names: readonly string[];
  /** Returns whether an expression contains such a type, so that it is not the text that PostgreSQL runs. */
  isIn(expression: string): boolean;
}

/** Replaces %ROWTYPE types. Returns null for a body in which the name of the replacement occurs. */
export function replaceRowTypes(body: Buffer): RowTypes | null {
  const text = body.toString();
  if (text.includes(rowType)) return null;
  const isIn = (expression: string) => expression.includes(rowType);
  if (!/rowtype/i.test(text)) return { body, names: [], isIn };
  // guard: no text between quotes is taken for the name of a type
  const tokens = scanTokens(body);
  const types = tokens.flatMap(({ text: word, end }, index) => {
    if (word.toLowerCase() !== 'rowtype' || tokens[index - 1]?.text !== '%') return [];
    const first = startOfName(tokens, index - 2);
    return first === null ? [] : [{ start: tokens[first]?.start ?? end, end, percent: index - 1 }];
  });
  return {
    body: spliceBytes(
      body,
      types.map(({ start, end }) => ({ start, end, text: rowType })),
    ),
    names: types.map(({ start, percent }) =>
      body.subarray(start, tokens[percent]?.start).toString(),
    ),
    isIn,
  };
}

/** Words behind the name of a variable that are no type with single values. */
const noScalars = new Set(['alias', 'cursor', 'no', 'scroll', 'record', 'refcursor', rowType]);
/** Tokens behind the name of a type that end it. */
const endsOfType = new Set([undefined, '[', ':=', '=', 'default', 'not', 'collate']);

/**
 * Replaces the types of variables that the body does not use as rows, because the parser takes an unknown type, such as an enum, for one:
 * it lets no such variable stand in a list behind INTO.
 */
export function replaceScalarTypes({ body, names, isIn }: RowTypes): RowTypes {
  const tokens = scanTokens(body);
  const used = new Set(
    tokens.flatMap(({ text }, index) =>
      tokens[index + 1]?.text === '.' ? [text.toLowerCase()] : [],
    ),
  );
  const types = declarationsIn(body).flatMap((declaration) => {
    if (used.has(declaration[0]?.text.toLowerCase() ?? '')) return [];
    const { first, last } = typeIn(declaration);
    if (noScalars.has(declaration[first]?.text.toLowerCase() ?? '')) return [];
    if (!endsOfType.has(declaration[last + 1]?.text.toLowerCase())) return [];
    const [start, end] = [declaration[first]?.start, declaration[last]?.end];
    return start === undefined || end === undefined ? [] : [{ start, end, text: 'text' }];
  });
  const replaced = types.map(({ start, end }) => body.subarray(start, end).toString());
  return { body: spliceBytes(body, types), names: [...names, ...replaced], isIn };
}

type Declaration = ReturnType<typeof declarationsIn>[number];

/** Returns the indexes of the first and the last token of the name of a variable's type. */
function typeIn(declaration: Declaration) {
  const first = declaration[1]?.text.toLowerCase() === 'constant' ? 2 : 1;
  return { first, last: declaration[first + 1]?.text === '.' ? first + 2 : first };
}

/** Returns the types of variables that are rows if the name is that of a relation: `t` and `t%ROWTYPE`. */
export const declaredRows = (body: Buffer): DeclaredType[] =>
  declarationsIn(body).flatMap((declaration) => {
    const { first, last } = typeIn(declaration);
    const isRow =
      [1, 2].map((at) => declaration[last + at]?.text.toLowerCase()).join('') === '%rowtype';
    const end = isRow ? last + 2 : last;
    const next = declaration[end + 1]?.text.toLowerCase();
    const [from, to] = [declaration[first], declaration[end]];
    if (!from || !to || next === '[' || !endsOfType.has(next)) return [];
    const names = readName(body, from.start, last === first ? 1 : 2);
    const [name, schema = null] = (names ?? []).map((part) => part.name).reverse();
    return name === undefined ? [] : [{ schema, name, start: from.start, end: to.end }];
  });

/** Returns the index of the first token of a qualified name that ends at a token; null if none does. */
function startOfName(tokens: ReturnType<typeof scanTokens>, last: number): number | null {
  const isName = (index: number) =>
    /^(?:[a-z_\u0080-\uffff]|"|u&")/i.test(tokens[index]?.text ?? '');
  if (!isName(last)) return null;
  let first = last;
  while (tokens[first - 1]?.text === '.' && isName(first - 2)) first -= 2;
  return first;
}

/**
 * Returns the types of variables and parameters, as calls whose code the catalog shows. A column's type is among those of its table's rows.
 * @param rows names of tables whose rows are types
 * @returns null for a type that cannot be parsed
 */
export function declaredTypes(tree: object, rows: readonly string[]): BodyUses['unclear'] | null {
  const declared = collectNodes(tree, 'PLpgSQL_type') as readonly { readonly typname?: string }[];
  const names = declared.flatMap(({ typname = '' }) => (typname === rowType ? [] : [typname]));
  const types = [...new Set([...names.map(tableOfColumn), ...rows])].filter((name) => name !== '');
  const uses = types.map((name) => usesOf(Buffer.from(`SELECT NULL::${name}`)));
  const isMissing = uses.includes(null);
  return isMissing ? null : uses.flatMap((each) => each?.unclear ?? []);
}

/** Returns the table of `table.column%TYPE`, the empty text for the type of a variable, and other types as they are. */
function tableOfColumn(type: string): string {
  const tokens = scanTokens(Buffer.from(type));
  const percent = tokens.findIndex(({ text }) => text === '%');
  if (percent < 0) return type;
  const parts = tokens.slice(0, Math.max(0, percent - 2));
  return parts.map(({ text }) => text).join('');
}

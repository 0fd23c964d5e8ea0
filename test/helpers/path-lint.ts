/** Finds what the search path decides in the body of a function: names without a schema, and operators. */
import type { Node } from 'libpg-query';
import { parsePlpgsql, parseTree, scanTokens } from '../../src/sql/parser/parser.ts';
import type { Fields } from '../../src/sql/parser/syntax-tree.ts';
import { collectNodes, constantOf, openNode, textsOf } from '../../src/sql/parser/syntax-tree.ts';

export interface Body {
  readonly language: string;
  /** The text that the function runs. */
  readonly source: string;
  /** CREATE FUNCTION as the server prints it. */
  readonly definition: string;
}

/** Returns the findings, each with a word for its kind: `operator ||`, `type text`. */
export async function namesByPath(body: Body): Promise<string[]> {
  return body.language === 'sql' ? inQuery(body.source) : inPlpgsql(body.definition);
}

/** Types that the grammar knows: their names are keywords. */
const typeWords =
  /^(bit|bool(ean)?|char(acter)?|bigint|int(eger)?|smallint|real|float|double precision|numeric|decimal|timestamp.*|time|interval)\b/;

async function inPlpgsql(definition: string): Promise<string[]> {
  const tree = await parsePlpgsql(Buffer.from(definition), Buffer.from(definition));
  if (tree === null) return ['a body that cannot be read'];
  const found = [
    ...collectNodes(tree, 'PLpgSQL_var'),
    ...collectNodes(tree, 'PLpgSQL_rec'),
  ].flatMap((fields) => declaredType(fields as Datum));
  for (const fields of collectNodes(tree, 'PLpgSQL_expr')) {
    const { query, parseMode = 0 } = fields as { query: string; parseMode?: number };
    found.push(...inQuery(asQuery(query, parseMode)));
  }
  // PL/pgSQL turns it into `value IN (...)`.
  for (const fields of collectNodes(tree, 'PLpgSQL_stmt_case'))
    if ('t_expr' in fields) found.push('operator = of CASE');
  for (const dynamic of dynamicTexts(tree)) found.push(...inMadeText(dynamic));
  return found;
}

interface Datum {
  readonly refname: string;
  readonly lineno?: number;
  readonly datatype?: { readonly PLpgSQL_type: { readonly typname: string } };
}

/** Parameters have their types from the function's head, and those of an exception from PL/pgSQL. */
function declaredType({ refname, lineno, datatype }: Datum): string[] {
  const type = datatype?.PLpgSQL_type.typname ?? '';
  const isOurs = lineno !== undefined && refname !== 'sqlstate' && refname !== 'sqlerrm';
  return isOurs && type !== '' && !type.includes('.') && !typeWords.test(type)
    ? [`type ${type}`]
    : [];
}

/** Returns a text as PL/pgSQL parses it: as a statement, an expression, or an assignment. */
function asQuery(text: string, mode: number): string {
  if (mode === 0) return text;
  if (mode === 2) return `SELECT ${text}`;
  const bytes = Buffer.from(text);
  const sign = scanTokens(bytes).find((token) => token.text === ':=' || token.text === '=');
  return `SELECT ${bytes.subarray(sign?.end ?? 0).toString()}`;
}

/** Returns the expressions whose value is executed. */
function dynamicTexts(tree: object): string[] {
  const fields = [
    ...collectNodes(tree, 'PLpgSQL_stmt_dynexecute'),
    ...collectNodes(tree, 'PLpgSQL_stmt_dynfors'),
  ].map((statement) => (statement as { query: object }).query);
  return [...fields, ...collectNodes(tree, 'dynquery')].flatMap((each) =>
    collectNodes({ each }, 'PLpgSQL_expr')
      .concat('PLpgSQL_expr' in each ? [] : collectNodes(each, 'query'))
      .map((expression) => (expression as { query: string }).query),
  );
}

/** Parses a text that is built at run time: its constants, with a name in place of each value. */
function inMadeText(expression: string): string[] {
  const [target] = collectNodes(parseTree(Buffer.from(`SELECT ${expression}`)), 'ResTarget');
  const made = madeText((target as { val?: Node }).val);
  try {
    return inQuery(made);
  } catch {
    return [`text made elsewhere: ${expression}`];
  }
}

interface Call {
  readonly funcname?: Names;
  readonly args?: readonly Node[];
}

function madeText(node: Node | undefined): string {
  const { type, fields } = openNode(node ?? {}) ?? { type: '', fields: {} };
  if (type === 'A_Expr') {
    const { lexpr, rexpr } = fields as { lexpr?: Node; rexpr?: Node };
    return madeText(lexpr) + madeText(rexpr);
  }
  if (type !== 'FuncCall') return constantOf(node) ?? 'x';
  const { funcname, args = [] } = fields as Call;
  const name = textsOf(funcname).at(-1);
  if (name === 'concat') return args.map((each) => madeText(each)).join('');
  if (name !== 'format') return 'x';
  return madeText(args[0])
    .replaceAll(/%(\d\$)?[sI]/g, 'x')
    .replaceAll(/%(\d\$)?L/g, "''");
}

const inQuery = (query: string) => inNode(parseTree(Buffer.from(query)), new Set());

/**
 * Returns the findings in a node of a parse tree.
 * @param known names that a WITH clause defines
 */
function inNode(value: unknown, known: ReadonlySet<string>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => inNode(each, known));
  const scope = new Set([...known, ...namedByWith(value)]);
  const own = openNode(value);
  const found = own === null ? [] : inspect(own.type, own.fields, known);
  return [...found, ...Object.values(value).flatMap((each) => inNode(each, scope))];
}

interface WithClause {
  readonly ctes?: readonly { readonly CommonTableExpr?: { readonly ctename?: string } }[];
}

function namedByWith(value: object): string[] {
  const { withClause } = value as { withClause?: WithClause };
  return (withClause?.ctes ?? []).map((each) => each.CommonTableExpr?.ctename ?? '');
}

type Names = Parameters<typeof textsOf>[0];

const isBare = (names: Names) => textsOf(names).length === 1;

function inspect(type: string, fields: Fields, known: ReadonlySet<string>): string[] {
  const reported = (kind: string, names: Names) =>
    isBare(names) ? [`${kind} ${textsOf(names).join('.')}`] : [];
  switch (type) {
    case 'FuncCall':
      return reported('function', (fields as { funcname?: Names }).funcname);
    case 'A_Expr':
      return operator(fields as Comparison);
    case 'SubLink':
      return subLink(fields as { subLinkType?: string; operName?: Names });
    case 'CaseExpr':
      return 'arg' in fields ? ['operator = of CASE'] : [];
    case 'JoinExpr':
      return 'usingClause' in fields || 'isNatural' in fields ? ['operator = of USING'] : [];
    case 'TypeCast':
      return [...reported('type', nameOf(fields)), ...named(fields)];
    case 'ColumnDef':
      return reported('type', nameOf(fields));
    case 'CollateClause':
      return reported('collation', (fields as { collname?: Names }).collname);
    case 'SortBy':
      return reported('operator', (fields as { useOp?: Names }).useOp);
    case 'RangeVar': {
      const { schemaname, relname = '' } = fields as { schemaname?: string; relname?: string };
      return schemaname === undefined && !known.has(relname) ? [`relation ${relname}`] : [];
    }
    default:
      return [];
  }
}

const nameOf = (fields: Fields) => (fields as { typeName?: { names?: Names } }).typeName?.names;

/** Returns whether the texts of a type are names that are looked up along the search path. Those of schemas and roles are not. */
const isLookedUp = (type: string) => /^reg(?!namespace$|role$)/.test(type);

/** Returns the name of an object that is looked up when the text is cast. */
function named(fields: Fields): string[] {
  const { arg } = fields as { arg?: Parameters<typeof constantOf>[0] };
  const text = constantOf(arg);
  const type = textsOf(nameOf(fields)).at(-1) ?? '';
  return text !== null && isLookedUp(type) && !text.includes('.') ? [`name '${text}'`] : [];
}

interface Comparison {
  readonly kind: string;
  readonly name?: Names;
  readonly rexpr?: { readonly A_Const?: { readonly isnull?: boolean } };
}

/** Returns the operators that are looked up by name. `IS DISTINCT FROM NULL` is not, because it is a test for null. */
function operator({ kind, name, rexpr }: Comparison): string[] {
  const isTest = kind.endsWith('DISTINCT') && rexpr?.A_Const?.isnull === true;
  return isBare(name) && !isTest ? [`operator ${textsOf(name).join('')} (${kind})`] : [];
}

function subLink({ subLinkType, operName }: { subLinkType?: string; operName?: Names }): string[] {
  const compares = subLinkType === 'ANY_SUBLINK' || subLinkType === 'ALL_SUBLINK';
  return compares && (operName === undefined || isBare(operName)) ? ['operator of IN'] : [];
}

/** Collects the objects that expressions call by name: functions, operators, types, and names after a dot. */
import type {
  A_Indirection,
  ColumnRef,
  FuncCall,
  Node,
  RangeFunction,
  TypeName,
} from 'libpg-query';
import type { Fields } from '../parser/syntax-tree.ts';
import { constantOf, textsOf } from '../parser/syntax-tree.ts';
import type { Calls, FunctionUse, QualifiedName, UnclearCall } from './calls.ts';
import { isSuspicious, isUnclear } from './functions.ts';

const withoutCast = (node: Node | undefined) =>
  node && 'TypeCast' in node ? node.TypeCast.arg : node;

/**
 * Returns the function as written; for `set_config`, with the setting's name or parameter, which decides whether the call may run; for
 * `nextval`, with the sequence.
 */
function functionUse(call: FuncCall): FunctionUse {
  const names = textsOf(call.funcname);
  const name = names.at(-1) ?? '';
  const schema = names.at(-2) ?? null;
  if (name === 'nextval') {
    const sequence = constantOf(withoutCast(call.args?.[0]));
    return sequence === null ? { schema, name } : { schema, name, sequence };
  }
  const naming = name === 'set_config' ? settingArgument(call) : undefined;
  const setting = constantOf(naming);
  if (setting !== null) return { schema, name, setting: setting.toLowerCase() };
  const parameter = naming && 'ParamRef' in naming ? naming.ParamRef.number : undefined;
  return parameter === undefined ? { schema, name } : { schema, name, parameter };
}

/**
 * Functions with special syntax in the newest grammar. Older servers parse the same text as a call of an ordinary function, which a user
 * may have created.
 */
const grammarFunctions: ReadonlyMap<string, readonly string[]> = new Map([
  ['JsonArrayAgg', ['json_arrayagg']],
  ['JsonArrayConstructor', ['json_array']],
  ['JsonArrayQueryConstructor', ['json_array']],
  ['JsonFuncExpr', ['json_exists', 'json_query', 'json_value']],
  ['JsonObjectAgg', ['json_objectagg']],
  ['JsonObjectConstructor', ['json_object']],
  ['JsonParseExpr', ['json']],
  ['JsonScalarExpr', ['json_scalar']],
  ['JsonSerializeExpr', ['json_serialize']],
  ['JsonTable', ['json_table']],
]);

/** The field that contains an operator's name, by node type. */
const operatorFields: ReadonlyMap<string, string> = new Map([
  ['A_Expr', 'name'],
  ['SortBy', 'useOp'],
  ['SubLink', 'operName'],
]);

/** The fields of nodes that call operators without naming them. */
interface Implying {
  readonly arg?: Node;
  readonly usingClause?: readonly Node[];
  readonly isNatural?: boolean;
  readonly kind?: string;
  readonly testexpr?: Node;
  readonly operName?: readonly Node[];
}

/** Returns the operators that a node calls implicitly. */
function impliedOperators(type: string, fields: Implying): readonly string[] {
  switch (type) {
    case 'CaseExpr':
      return fields.arg ? ['='] : [];
    case 'JoinExpr':
      return fields.usingClause || fields.isNatural ? ['='] : [];
    case 'SubLink':
      return fields.testexpr && !fields.operName ? ['='] : [];
    case 'A_Expr':
      return fields.kind?.includes('BETWEEN') ? ['<', '<=', '>', '>='] : [];
    default:
      return [];
  }
}

/** `range.name`, which is a column or a call of `name(range)`. */
interface Column {
  readonly range: string;
  readonly name: string;
}

/** Collects the calls of a query. */
export class CallNotes {
  private readonly functions = new Map<string, FunctionUse>();
  private readonly operators = new Map<string, QualifiedName>();
  private readonly types = new Map<string, QualifiedName>();
  private readonly columns = new Map<string, Column>();
  /** Names after the dot of anything other than a range. */
  private readonly attributes = new Set<string>();
  /** Functions in FROM, whose rows may have any type: each with its name and the columns that the query names for it. */
  private readonly ranges: { readonly name: string | null; readonly columns: string[] }[] = [];

  noteCall(call: FuncCall): void {
    this.noteFunction(functionUse(call));
  }

  noteColumn({ fields = [] }: ColumnRef): void {
    const [range, name] = textsOf(fields.slice(-2));
    if (range !== undefined && name !== undefined)
      this.columns.set([range, name].join('\0'), { range, name });
  }

  noteIndirection({ indirection }: A_Indirection): void {
    // guard: a name behind a dot is a call
    for (const name of textsOf(indirection)) this.attributes.add(name);
  }

  noteRange(range: RangeFunction): void {
    const { alias, coldeflist = [] } = range;
    const defined = coldeflist.flatMap((node) => ('ColumnDef' in node ? [node.ColumnDef] : []));
    const columns = defined.flatMap(({ colname }) => colname ?? []);
    this.ranges.push({
      name: alias?.aliasname ?? calledAs(range),
      columns: [...textsOf(alias?.colnames), ...columns],
    });
  }

  /** Records the calls that a node other than a function call makes. */
  note(type: string, fields: Fields): void {
    for (const name of grammarFunctions.get(type) ?? []) this.noteFunction({ schema: null, name });
    const operator = operatorFields.get(type);
    if (operator) noteName(this.operators, fields[operator as keyof Fields]);
    // guard: operators that the grammar implies are called, too
    for (const name of impliedOperators(type, fields))
      this.operators.set(name, { schema: null, name });
    if ('typeName' in fields)
      noteName(this.types, (fields.typeName as TypeName | undefined)?.names);
  }

  all(): Calls {
    const columns = [...this.columns.values()].map(({ name }) => name);
    return {
      functions: [...this.functions.values()],
      fields: [...new Set([...this.attributes, ...columns])],
      operators: [...this.operators.values()],
      types: [...this.types.values()],
    };
  }

  /**
   * Returns the calls that a read may not make before the catalog has been queried, followed by the calls that are safe unless users have
   * created such an object.
   * @param relations the relations that the read names: a view makes calls, and so do the policies of a table
   */
  unclear(relations: readonly QualifiedName[]): UnclearCall[] {
    const unclear = this.unclearByName();
    const isNamed = new Set(unclear.map(({ kind, name }) => `${kind} ${name}`));
    const { functions, fields, operators, types } = this.all();
    const others = [
      ...functions.map((each) => ({ kind: 'function' as const, ...each })),
      ...fields.map((name) => ({ kind: 'field' as const, schema: null, name })),
      ...operators.map((each) => ({ kind: 'operator' as const, ...each })),
      ...types.map((each) => ({ kind: 'type' as const, ...each })),
      // guard: functions that a relation calls when it is read count as called
      ...relations.map((each) => ({ kind: 'relation' as const, ...each })),
    ].filter(({ kind, name }) => !isNamed.has(`${kind} ${name}`));
    return [
      ...unclear,
      ...others.map(({ kind, schema, name }) => ({
        kind,
        schema,
        name,
        unlessMade: true as const,
      })),
    ];
  }

  private unclearByName(): UnclearCall[] {
    const functions = [...this.functions.values()].filter(isUnclear);
    const columns = [...this.columns.values()].filter((column) => this.isUnclearColumn(column));
    const attributes = [...this.attributes, ...columns.map(({ name }) => name)].filter((name) =>
      isUnclear({ schema: null, name }),
    );
    return [
      ...functions.map(({ schema, name }) => ({ kind: 'function' as const, schema, name })),
      ...[...new Set(attributes)].map((name) => ({ kind: 'field' as const, schema: null, name })),
    ];
  }

  /**
   * Returns whether a column may be a function call with effects. Hardly any function takes the rows of tables and queries. A function in
   * FROM may return a type that others take.
   */
  private isUnclearColumn({ range, name }: Column): boolean {
    const isOfFunction = this.ranges.some(
      (each) => (each.name === null || each.name === range) && !each.columns.includes(name),
    );
    // guard: a column may be a call of a function with effects
    // guard: a function in FROM may take the result of another one
    return isOfFunction || isSuspicious(name);
  }

  private noteFunction(use: FunctionUse): void {
    this.functions.set(
      [use.schema, use.name, use.setting, use.parameter, use.sequence].join('\0'),
      use,
    );
  }
}

/** Returns the types that a list names. */
export function namedTypes(list: readonly Node[]): QualifiedName[] {
  const types = new Map<string, QualifiedName>();
  for (const node of list) if ('TypeName' in node) noteName(types, node.TypeName.names);
  return [...types.values()];
}

function noteName(names: Map<string, QualifiedName>, parts: readonly Node[] | undefined): void {
  const texts = textsOf(parts);
  const name = texts.at(-1);
  if (name !== undefined) names.set(texts.join('\0'), { schema: texts.at(-2) ?? null, name });
}

/** Returns the name that qualifies the columns of a function in FROM without an alias; null if the grammar generates it. */
function calledAs({ functions = [] }: RangeFunction): string | null {
  const [first] = functions;
  const [call] = first && 'List' in first ? (first.List.items ?? []) : [];
  return call && 'FuncCall' in call ? (textsOf(call.FuncCall.funcname).at(-1) ?? null) : null;
}

function settingArgument(call: FuncCall): Node | undefined {
  const args = call.args ?? [];
  const named = args.find(
    (arg) => 'NamedArgExpr' in arg && arg.NamedArgExpr.name === 'setting_name',
  );
  return named && 'NamedArgExpr' in named ? named.NamedArgExpr.arg : args[0];
}

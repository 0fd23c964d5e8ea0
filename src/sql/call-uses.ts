/** What expressions call by name: functions, operators, types. */
import type { FuncCall, Node, TypeName } from 'libpg-query';
import type { Fields } from './tree.ts';
import { constantOf, textsOf } from './tree.ts';
import type { Calls, FunctionUse, QualifiedName } from './verdict.ts';

/** Gives the function as written; of `set_config` also the setting, which decides whether it may run. */
function functionUse(call: FuncCall): FunctionUse {
  const names = textsOf(call.funcname);
  const name = names.at(-1) ?? '';
  const schema = names.at(-2) ?? null;
  const setting = name === 'set_config' ? constantOf(settingArgument(call)) : null;
  return setting === null ? { schema, name } : { schema, name, setting: setting.toLowerCase() };
}

/**
 * Functions that have a syntax of their own in the newest grammar. Older servers take the same text for a call of an
 * ordinary function, which a user may have made.
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

/** The field that holds an operator's name, by type of node. */
const operatorFields: ReadonlyMap<string, string> = new Map([
  ['A_Expr', 'name'],
  ['SortBy', 'useOp'],
  ['SubLink', 'operName'],
]);

/** Gathers the calls of a query. */
export class CallNotes {
  private readonly functions = new Map<string, FunctionUse>();
  private readonly operators = new Map<string, QualifiedName>();
  private readonly types = new Map<string, QualifiedName>();

  noteCall(call: FuncCall): void {
    this.noteFunction(functionUse(call));
  }

  /** Notes what a node other than a function call calls. */
  note(type: string, fields: Fields): void {
    for (const name of grammarFunctions.get(type) ?? []) this.noteFunction({ schema: null, name });
    const operator = operatorFields.get(type);
    if (operator) noteName(this.operators, fields[operator as keyof Fields]);
    if ('typeName' in fields)
      noteName(this.types, (fields.typeName as TypeName | undefined)?.names);
  }

  all(): Calls {
    return {
      functions: [...this.functions.values()],
      operators: [...this.operators.values()],
      types: [...this.types.values()],
    };
  }

  private noteFunction(use: FunctionUse): void {
    this.functions.set([use.schema, use.name, use.setting].join('\0'), use);
  }
}

function noteName(names: Map<string, QualifiedName>, parts: readonly Node[] | undefined): void {
  const texts = textsOf(parts);
  const name = texts.at(-1);
  if (name !== undefined) names.set(texts.join('\0'), { schema: texts.at(-2) ?? null, name });
}

function settingArgument(call: FuncCall): Node | undefined {
  const args = call.args ?? [];
  const named = args.find(
    (arg) => 'NamedArgExpr' in arg && arg.NamedArgExpr.name === 'setting_name',
  );
  return named && 'NamedArgExpr' in named ? named.NamedArgExpr.arg : args[0];
}

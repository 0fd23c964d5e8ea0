/** Reads a function call's name from the parse tree. */
import type { FuncCall, Node } from 'libpg-query';
import { constantOf, textsOf } from './tree.ts';
import type { FunctionUse } from './verdict.ts';

/** Gives the function as written; of `set_config` also the setting, which decides whether it may run. */
export function functionUse(call: FuncCall): FunctionUse {
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

/** The functions that a node other than a function call may be on an older server. */
export function grammarFunctionUses(type: string): readonly FunctionUse[] {
  return (grammarFunctions.get(type) ?? []).map((name) => ({ schema: null, name }));
}

function settingArgument(call: FuncCall): Node | undefined {
  const args = call.args ?? [];
  const named = args.find(
    (arg) => 'NamedArgExpr' in arg && arg.NamedArgExpr.name === 'setting_name',
  );
  return named && 'NamedArgExpr' in named ? named.NamedArgExpr.arg : args[0];
}

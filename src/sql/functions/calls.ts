/** The objects that expressions call by name, as written. */

export interface QualifiedName {
  readonly schema: string | null;
  readonly name: string;
}

export interface FunctionUse extends QualifiedName {
  /** Only for `set_config`: the setting, if the call names it by a constant. */
  readonly setting?: string;
  /** Only for `set_config`: the number of the parameter that names the setting, if the argument is just that parameter. */
  readonly parameter?: number;
  /** Only for `nextval`: the sequence, if the call names it by a constant. */
  readonly sequence?: string;
}

/** The calls of a statement. Functions may implement operators and types, too. */
export interface Calls {
  readonly functions: readonly FunctionUse[];
  /** Names after a dot: `(x).name` and `x.name` call `name(x)` if x has no such column. */
  readonly fields: readonly string[];
  readonly operators: readonly QualifiedName[];
  readonly types: readonly QualifiedName[];
}

export const noCalls: Calls = { functions: [], fields: [], operators: [], types: [] };

/** A call in a read for which only the catalog shows whether READ ONLY prevents its effects. */
export interface UnclearCall extends QualifiedName {
  readonly kind: 'function' | 'field' | 'operator' | 'type' | 'relation';
  /** The call is safe unless users have created an object of that name; see stage.user_calls. */
  readonly unlessMade?: true;
}

/** What expressions call by name, as written. */

export interface QualifiedName {
  readonly schema: string | null;
  readonly name: string;
}

export interface FunctionUse extends QualifiedName {
  /** Only of `set_config`: the setting it sets, when the call names it by a constant. */
  readonly setting?: string;
  /** The same: the number of the parameter that gives it the name, when the call has nothing else there. */
  readonly parameter?: number;
}

/** Operators and types may be defined by functions, too. */
export interface Calls {
  readonly functions: readonly FunctionUse[];
  /** Names after a dot: `(x).name` and `x.name` call name(x), should x have no such column. */
  readonly fields: readonly string[];
  readonly operators: readonly QualifiedName[];
  readonly types: readonly QualifiedName[];
}

export const noCalls: Calls = { functions: [], fields: [], operators: [], types: [] };

/** What a read calls, and only the catalog can tell whether READ ONLY holds what it does. */
export interface UnclearCall extends QualifiedName {
  readonly kind: 'function' | 'field' | 'operator' | 'type' | 'relation';
  /** It is clear, unless users have made something of the name: see stage.made_calls. */
  readonly unlessMade?: true;
}

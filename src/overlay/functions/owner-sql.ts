/** Gives a copy to the owner of its function, whose rights it runs with. */
import { qualifiedName, quoteIdentifier } from '../../identifier.ts';

export interface Definer {
  /** The owner: its OID and name. */
  readonly role: number;
  readonly name: string;
  /** The version of the function's entry in the catalog. */
  readonly version: string;
  /** The types of its arguments, as ALTER FUNCTION takes them. */
  readonly signature: string;
  /** The roles that may call it; null for PUBLIC. */
  readonly callers: readonly (string | null)[];
}

/** Returns the statements. The roles that may call the function may call the copy. */
export function ownerSql(
  { isProcedure }: { readonly isProcedure: boolean },
  { name: owner, signature, callers }: Definer,
  name: string,
  schema: string,
): string[] {
  const kind = isProcedure ? 'PROCEDURE' : 'FUNCTION';
  const copy = `${kind} ${qualifiedName(schema, name)}(${signature})`;
  const role = quoteIdentifier(owner);
  const others = callers.filter((each) => each !== owner);
  const shown = others.map((each) => (each === null ? 'PUBLIC' : quoteIdentifier(each)));
  return [
    // guard: a copy with the rights of an owner is called by those who may call its function
    `REVOKE ALL ON ${copy} FROM PUBLIC`,
    ...(shown.length > 0 ? [`GRANT EXECUTE ON ${copy} TO ${shown.join(', ')}`] : []),
    // the rights of the service account become those of the owner
    ...(callers.includes(owner) ? [] : [`REVOKE ALL ON ${copy} FROM CURRENT_USER`]),
    `GRANT CREATE ON SCHEMA ${schema} TO ${role}`,
    `ALTER ${copy} OWNER TO ${role}`,
    // guard: an owner replaces no copy
    `REVOKE CREATE ON SCHEMA ${schema} FROM ${role}`,
  ];
}

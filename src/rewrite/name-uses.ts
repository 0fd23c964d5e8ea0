/** Identifies uses of relation names by what may replace them. */
import type { NameUse } from './resolved-name.ts';

/** Returns a key that identifies a use of a name. */
export function keyOf({ schema, name, ...use }: NameUse): string {
  return `${use.role === undefined ? '' : `${use.role}\0\0`}${schema === null ? '' : `${schema}\0`}${name}\0${onlyOf(use)}\0${targetOf(use)}`;
}

const onlyOf = ({ only }: Partial<NameUse>) => only ?? false;

/** Returns the operation that determines the stand-in of a relation: all writes except INSERT use the same one. */
const targetOf = ({ target }: Partial<NameUse>) =>
  target && target !== 'INSERT' ? 'UPDATE' : (target ?? null);

/** Returns the role of a use, as the service's queries take it. */
export const roleOf = ({ role }: { readonly role?: number | undefined }) =>
  role === undefined ? {} : { role };

/** Returns each use once, reduced to the properties that identify it. */
export function distinct(names: readonly NameUse[]): NameUse[] {
  const found = new Map(names.map((each) => [keyOf(each), each]));
  return [...found.values()].map(({ schema, name, ...use }) => ({
    schema,
    name,
    only: onlyOf(use),
    target: targetOf(use),
    ...roleOf(use),
  }));
}

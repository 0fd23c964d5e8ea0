/** Uses of relations' names, told apart by what they may stand for. */
import type { NameUse } from './resolved-name.ts';

/** Tells a use of a name from others. */
export function keyOf({ schema, name, ...use }: NameUse): string {
  return `${schema === null ? '' : `${schema}\0`}${name}\0${onlyOf(use)}\0${targetOf(use)}`;
}

const onlyOf = ({ only }: Partial<NameUse>) => only ?? false;

/** All writes but INSERT use what stands for a relation in the same way. */
const targetOf = ({ target }: Partial<NameUse>) =>
  target && target !== 'INSERT' ? 'UPDATE' : (target ?? null);

/** Each use once, and nothing but what tells it apart. */
export function distinct(names: readonly NameUse[]): NameUse[] {
  const found = new Map(names.map((each) => [keyOf(each), each]));
  return [...found.values()].map(({ schema, name, ...use }) => ({
    schema,
    name,
    only: onlyOf(use),
    target: targetOf(use),
  }));
}

/** An alteration, and the means by which the lists of them are written. */
import type { Target } from './schema.ts';

export interface Alteration {
  readonly text: string;
  readonly of: readonly Target[];
  /** Undoes what is not in the schema: attributes of roles. Such an alteration is of the server, and is made once. */
  readonly undo?: string;
  /** Whether it alters triggers, or what they call: approval fires them as they are then. */
  readonly ofTriggers?: boolean;
}

export const each = (of: readonly Target[], texts: readonly string[]): Alteration[] =>
  texts.map((text) => ({ text, of }));

export const every: readonly Target[] = [
  'parent',
  'item',
  'child',
  'keyless',
  'part',
  'top',
  'fired',
  'doc',
];
export const onEvery = (texts: (name: string) => readonly string[], but: readonly Target[] = []) =>
  every
    .filter((table) => !but.includes(table))
    .flatMap((table) => each([table], texts(`$s.${table}`)));

/** A write whose rows are staged as a set: they are put into another view than the overlay. */
import { qualifiedName } from '../db/identifier.ts';
import type { Replacement } from '../sql/splice.ts';
import { isSameRange } from '../sql/splice.ts';
import type { QueryWrite, Write } from '../sql/write.ts';
import type { Named } from './stageable.ts';

interface Loadable {
  readonly replacements: readonly Replacement[];
  readonly isWatched: boolean;
  readonly isSet: boolean;
}

/** Gives the rewrite that stages the rows of a write as a set; the same one where they are staged one by one. */
export function loaded<Made extends Loadable>(
  rewrite: Made,
  write: Write,
  named: readonly Named[],
): Made {
  // what runs user code is watched, and staged row by row
  if (rewrite.isWatched || write.form !== 'query') return rewrite;
  const load = loadReplacement(write, named);
  if (load === null) return rewrite;
  const replacements = rewrite.replacements.map((each) => (isSameRange(each, load) ? load : each));
  return { ...rewrite, replacements, isSet: true };
}

/**
 * What takes the target's place, or null where rows are staged one by one: where numbers are drawn, a statement that has to be run
 * again would draw them twice. Without a list of columns only the first one is sure to be given.
 */
function loadReplacement(
  { brings, rights }: QueryWrite,
  named: readonly Named[],
): Replacement | null {
  const target = named.find(({ use }) => use.start === brings);
  const load = target?.meaning.load ?? null;
  if (target === undefined || load === null) return null;
  const isGiven = (name: string, index: number) =>
    rights.every(({ columns }) => columns?.includes(name) ?? index === 0);
  const { columns } = target.meaning;
  if (columns.some(({ name, drawn }, index) => drawn && !isGiven(name, index))) return null;
  const { start, end } = target.use;
  return { start, end, text: qualifiedName(load.schema, load.name) };
}

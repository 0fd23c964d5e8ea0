/** Replaces the catalogs that list prepared statements and cursors by views that list those of the client alone. */
import type { QualifiedName } from '../sql/functions/calls.ts';
import type { Read } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import type { Verdict } from '../sql/verdict.ts';
import type { QueryWrite } from '../sql/write.ts';

const lists: ReadonlySet<string> = new Set(['pg_prepared_statements', 'pg_cursors']);

const isList = ({ schema, name }: QualifiedName) =>
  (schema === null || schema === 'pg_catalog') && lists.has(name);

/** Returns whether a statement lists prepared statements or cursors. */
export const readsList = (body: Verdict): boolean =>
  'relations' in body && body.relations.some(isList);

/** Returns the replacements of the names of these catalogs. The views have the same names, so columns are found by them, too. */
export function listReplacements({ relations, qualifiers }: Read | QueryWrite): Replacement[] {
  const names = relations
    .filter((use) => use.target === null && isList(use))
    .map(({ start, end, name }) => ({ start, end, text: `stage.${name}` }));
  const ofColumns = qualifiers
    .filter(isList)
    .map(({ start, end }) => ({ start, end, text: 'stage.' }));
  return names.length === 0 ? [] : [...names, ...ofColumns];
}

/**
 * Replaces what would show the service's own work: the catalogs that list prepared statements and cursors, by views that list those of the
 * client alone, and the last number drawn.
 */
import type { QualifiedName } from '../sql/functions/calls.ts';
import { lastNumberCalls, usesLastNumber } from '../sql/functions/last-numbers.ts';
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
function listReplacements({ relations, qualifiers }: Read | QueryWrite): Replacement[] {
  const names = relations
    .filter((use) => use.target === null && isList(use))
    .map(({ start, end, name }) => ({ start, end, text: `stage.${name}` }));
  const ofColumns = qualifiers
    .filter(isList)
    .map(({ start, end }) => ({ start, end, text: 'stage.' }));
  return names.length === 0 ? [] : [...names, ...ofColumns];
}

/** Returns whether a read's text is changed in any case. */
export const isReworded = (body: Read | QueryWrite): boolean =>
  readsList(body) || usesLastNumber(body.called);

/** Returns the replacements in a text that is changed in any case. Those of calls in a write are made with the names of its tables. */
export const rewordings = (body: Read | QueryWrite): Replacement[] => [
  ...listReplacements(body),
  ...(body.kind === 'read' ? lastNumberCalls(body.called) : []),
];

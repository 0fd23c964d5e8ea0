/** Replaces TRUNCATE by a call that stages it. The call finds the tables it cascades to, and reports PostgreSQL's own errors. */
import { quoteLiteral } from '../identifier.ts';
import type { Replacement } from '../sql/splice.ts';
import type { TruncateWrite } from '../sql/write.ts';
import type { ResolvedName } from './resolved-name.ts';

const noTables = new Set<ResolvedName['kind']>([
  'none',
  'view',
  'materialized',
  'sequence',
  'other',
]);

/** Returns whether a relation needs preparation. The call refuses anything other than tables. */
export function canBeTruncated({ kind }: ResolvedName): boolean {
  return !noTables.has(kind);
}

/** Returns the call that replaces the statement. */
export function truncateCall({ relations, range, cascades }: TruncateWrite): Replacement {
  const names = relations.map(({ schema, name, only }) => ({ schema, name, only }));
  const text = `CALL stage.truncate(${quoteLiteral(JSON.stringify(names))}, ${cascades})`;
  return { ...range, text };
}

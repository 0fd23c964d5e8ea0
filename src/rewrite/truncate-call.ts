/** TRUNCATE becomes a call that stages it: the call finds the tables it cascades to, and refuses in PostgreSQL's words. */
import { quoteLiteral } from '../db/identifier.ts';
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

/** Whether there is something to make ready: what is no table the call refuses. */
export function canBeTruncated({ kind }: ResolvedName): boolean {
  return !noTables.has(kind);
}

/** The call in the statement's place. */
export function truncateCall({ relations, range, cascades }: TruncateWrite): Replacement {
  const names = relations.map(({ schema, name, only }) => ({ schema, name, only }));
  const text = `CALL stage.truncate(${quoteLiteral(JSON.stringify(names))}, ${cascades})`;
  return { ...range, text };
}

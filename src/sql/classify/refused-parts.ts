/** Parts of a query for which the whole query is refused. */
import type { CommonTableExpr, RangeVar } from 'libpg-query';
import { collectNodes } from '../parser/syntax-tree.ts';
import type { Refusal } from '../refusal.ts';
import { refuse } from './refusal.ts';
import { isInternalSchema, isSystemSchema } from './reserved-schemas.ts';
import type { Scope } from './scope.ts';
import { hasWriter, isInScope } from './scope.ts';

export const selectInto = refuse(
  'SELECT INTO creates a table, which a staged session cannot do',
  'Create the table in a migration, then use INSERT ... SELECT.',
);

export const currentOf = refuse(
  'WHERE CURRENT OF cannot be staged',
  'Name the row by its key in the WHERE clause.',
);

export const unreadableName = refuse(
  'a name in this statement is written in a way the proxy cannot read',
  'Write the name bare or in plain double quotes.',
);

export const unclearLocking = refuse(
  'the row locking clause of this statement is written in a way the proxy cannot read',
  'Leave FOR UPDATE or FOR SHARE out: a staged session locks no rows of production.',
);

export const groupedTooDeeply = refuse(
  'queries with GROUP BY stand in one another too deeply',
  'Move the inner queries to WITH or to FROM.',
  '54001',
);

export const lockingRecursion = refuse(
  'FOR UPDATE/SHARE in a recursive query is not implemented',
  'Leave FOR UPDATE or FOR SHARE out of the WITH query, or put it at the end of the statement.',
);

export const unclearConflict = refuse(
  'the ON CONFLICT clause of this statement is written in a way the proxy cannot read',
  'Name its columns or its constraint in plain words.',
);

export const oldRowOfUpsert = refuse(
  'RETURNING old of INSERT ... ON CONFLICT DO UPDATE cannot be staged',
  'Read the row before the statement, and return its new values.',
);

export const cteInConflict = refuse(
  'ON CONFLICT DO UPDATE that reads a WITH query cannot be staged',
  'Write the query as a sub-select of DO UPDATE.',
);

export const excludedConflict = refuse(
  'ON CONFLICT DO UPDATE of a table that is called excluded cannot be staged',
  'Give the table an alias: INSERT INTO excluded AS e.',
);

export const writeWithinReturning = refuse(
  'RETURNING that reads a WITH query, beside one that writes, cannot be staged',
  'Put the statement into the WITH clause, too, and read both in a SELECT behind it.',
);

export const conflictWithoutTarget = refuse(
  'ON CONFLICT DO UPDATE requires inference specification or constraint name',
  'For example, ON CONFLICT (column_name).',
  '42601',
);

/** Returns whether a WITH query refers to itself and locks rows. PostgreSQL refuses that; without its locking clauses it may never end. */
export function isLockingItself({ ctename, ctequery }: CommonTableExpr): boolean {
  const isItself = (range: RangeVar) => !range.schemaname && range.relname === ctename;
  return (
    collectNodes(ctequery, 'LockingClause').length > 0 &&
    collectNodes(ctequery, 'RangeVar').some(isItself)
  );
}

/**
 * Returns whether RETURNING may be the first to run a WITH query that writes. PostgreSQL then no longer has the row that the view's trigger
 * returned, and RETURNING shows arbitrary memory instead.
 */
export function writesWithinReturning(returning: unknown, scope: Scope): boolean {
  const isQuery = (range: RangeVar) => !range.schemaname && isInScope(range.relname, scope);
  return hasWriter(scope) && collectNodes(returning, 'RangeVar').some(isQuery);
}

/** Returns the refusal for an unknown element of the grammar. */
export function unknownElement(type: string): Refusal {
  return refuse(
    `the proxy does not know the element ${type} of this statement`,
    'Write the statement another way.',
  );
}

/** Returns the refusal for writing to a reserved table, or null. */
export function refusedTarget(schema = '', name = ''): Refusal | null {
  if (isInternalSchema(schema)) {
    return refuse(
      `permission denied for table "${name}"`,
      'The tables of the staging service are written by the service alone.',
      '42501',
    );
  }
  if (name === 'pg_settings' && (schema === '' || schema === 'pg_catalog')) {
    return refuse(
      'settings cannot be changed by UPDATE of pg_settings',
      'Use SET, or SELECT set_config(name, value, false).',
    );
  }
  if (isSystemSchema(schema)) {
    return refuse(
      `permission denied: "${name}" is a system catalog`,
      'Change the schema with DDL, in a migration.',
      '42501',
    );
  }
  return null;
}

/** What is sent in the place of a command that defines temporary tables: the tables that it changes are called by the schema pg_temp. */
import { qualifiedName } from '../db/identifier.ts';
import { StageError } from '../errors.ts';
import { refusalError } from '../server-connection/refusals.ts';
import type { Replacement } from '../sql/splice.ts';
import type { DefinitionWrite, Write } from '../sql/write.ts';
import type { Named } from './stageable.ts';
import { isTemporary } from './temporary.ts';

/** What is to be known where it runs. */
export interface Definition {
  /** The names that relations get. */
  readonly created: readonly string[];
  /** Makes of the command, whose query may run code, one that does not run it. */
  readonly probe: Replacement | null;
}

/** Whether a write is a TRUNCATE of temporary tables, which is run as it is. */
export const emptiesTemporary = (write: Write, named: readonly Named[]): boolean =>
  write.form === 'truncate' && named.length > 0 && named.every(isTemporary);

/** What is to be known of a command where it runs. */
export const definitionOf = (write: Write): Definition =>
  write.form === 'definition' ? write : { created: [], probe: null };

/** The names of its targets. */
export const temporaryNames = (named: readonly Named[]): Replacement[] =>
  named.flatMap(({ use: { start, end, name, target } }) =>
    target === null ? [] : [{ start, end, text: qualifiedName('pg_temp', name) }],
  );

/** @throws StageError where the command changes what is no temporary table of the connection */
export function checkTargets(write: DefinitionWrite, named: readonly Named[]): void {
  for (const each of named) {
    const { use, meaning } = each;
    // guard: a definition changes temporary tables of the connection alone
    if (use.target === null || isTemporary(each)) continue;
    if (meaning.oid !== null) throw refusalError(write.refusal);
    // of what is called so PostgreSQL says itself that it is not there
    if (use.schema === 'pg_temp') continue;
    if (use.schema !== null) throw refusalError(write.refusal);
    if (!write.skipsMissing) throw missing(use.name, write.command);
  }
}

/**
 * @param runsCode whether what the command itself computes may be code of the database's users
 * @throws StageError where such code might run: what it writes to the catalogs could not be told from what the definition does
 */
export function checkComputed(
  { evaluates, copiesDefinition }: DefinitionWrite,
  named: readonly Named[],
  runsCode: boolean,
): void {
  const isComputed = ({ use, meaning }: Named) =>
    meaning.code && (use.target === null ? copiesDefinition : evaluates);
  // guard: a definition computes no code of users
  if ((evaluates && runsCode) || named.some(isComputed)) throw computesCode;
}

function missing(name: string, command: string): StageError {
  const kind = command === 'DROP TABLE' ? 'table' : 'relation';
  return new StageError('statement_not_supported', `${kind} "${name}" does not exist`, {
    sqlstate: '42P01',
  });
}

const computesCode = new StageError(
  'statement_not_supported',
  'a temporary table cannot be altered, indexed or made a partition by what functions, operators or types compute that users of the database have made',
  {
    hint: 'Make the table as it has to be, without LIKE ... INCLUDING of a table that has such code; INSERT and UPDATE may call it.',
  },
);

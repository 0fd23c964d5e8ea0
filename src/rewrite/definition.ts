/** Rewrites commands that define temporary tables: their targets are qualified with pg_temp. */
import { StageError } from '../errors.ts';
import { qualifiedName } from '../identifier.ts';
import { refusalError } from '../server-connection/refusals.ts';
import type { Replacement } from '../sql/splice.ts';
import type { DefinitionWrite, Write } from '../sql/write.ts';
import type { Named } from './stageable.ts';
import { isTemporary } from './temporary.ts';

/** The facts that the statement's execution needs. */
export interface Definition {
  /** The names of the relations and constraints that it creates. */
  readonly created: readonly string[];
  /** The replacement that turns the command into one that does not run its query, because the query may run code. */
  readonly probe: Replacement | null;
}

/** Returns whether a write is a TRUNCATE of temporary tables, which runs directly on them. */
export const emptiesTemporary = (write: Write, named: readonly Named[]): boolean =>
  write.form === 'truncate' && named.length > 0 && named.every(isTemporary);

/** Returns the facts about a command that its execution needs. */
export const definitionOf = (write: Write): Definition =>
  write.form === 'definition' ? write : { created: [], probe: null };

/** Returns the replacements of its targets' names. */
export const temporaryNames = (named: readonly Named[]): Replacement[] =>
  named.flatMap(({ use: { start, end, name, target } }) =>
    target === null ? [] : [{ start, end, text: qualifiedName('pg_temp', name) }],
  );

/**
 * Checks the targets of a command.
 * @throws StageError if the command changes anything other than temporary tables of the connection
 */
export function checkTargets(write: DefinitionWrite, named: readonly Named[]): void {
  for (const each of named) {
    const { use, meaning } = each;
    if (isOwn(write, each)) continue;
    // guard: a definition changes temporary tables of the connection alone
    if (use.target === null || isTemporary(each)) continue;
    if (meaning.oid !== null) throw refusalError(write.refusal);
    // PostgreSQL itself reports that a table of this name is missing
    if (use.schema === 'pg_temp') continue;
    if (use.schema !== null) throw refusalError(write.refusal);
    if (!write.skipsMissing) throw missing(use.name, write.command);
  }
}

/** Returns whether a foreign key refers to the temporary table itself that the command creates. */
const isOwn = ({ command, created }: DefinitionWrite, { use }: Named) =>
  command === 'CREATE TABLE' && use.schema === null && created.includes(use.name);

/**
 * Checks the expressions that a command evaluates.
 * @param runsCode whether the command's own expressions may run users' code
 * @throws StageError if such code may run: its catalog writes could not be distinguished from those of the definition
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

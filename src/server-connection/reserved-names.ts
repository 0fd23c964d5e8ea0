/**
 * Checks the names of statements, portals and savepoints. Clients may use neither internal names nor names that PostgreSQL would truncate.
 */
import { refuseLongName } from '../sql/classify/object-names.ts';
import type { Refusal } from '../sql/refusal.ts';
import type { Verdict } from '../sql/verdict.ts';
import { refusalError } from './refusals.ts';

/** The prefix of all internal statements, portals and savepoints. */
export const internalPrefix = '_stage_';

const reserved: Refusal = {
  kind: 'refuse',
  sqlstate: '42939',
  message: `names that begin with "${internalPrefix}" belong to the staging service`,
  hint: 'Choose another name.',
};

/**
 * Checks the name of a statement or portal.
 * @throws StageError for a name that clients may not use
 */
export function checkName(name: string): void {
  const refusal = isInternal(name) ? reserved : refuseLongName(name);
  if (refusal) throw refusalError(refusal);
}

/** Returns the refusal of an SQL command that uses an internal name, or null. */
export function refuseReserved(verdict: Verdict): Refusal | null {
  if (verdict.kind === 'write' && verdict.form === 'definition')
    return verdict.created.some(isInternal) ? reserved : null;
  if (verdict.kind !== 'control' || !('name' in verdict.action)) return null;
  return verdict.action.name !== null && isInternal(verdict.action.name) ? reserved : null;
}

// guard: names of the service are refused
const isInternal = (name: string) => name.startsWith(internalPrefix);

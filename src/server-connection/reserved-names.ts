/** The names of statements, portals and savepoints that no client may use: our own, and those that PostgreSQL would cut. */
import { refuseLongName } from '../sql/classify/object-names.ts';
import type { Refusal } from '../sql/refusal.ts';
import type { Verdict } from '../sql/verdict.ts';
import { refusalError } from './refusals.ts';

/** Prefix of every statement, portal and savepoint of ours. */
export const ownPrefix = '_stage_';

const reserved: Refusal = {
  kind: 'refuse',
  sqlstate: '42939',
  message: `names that begin with "${ownPrefix}" belong to the staging service`,
  hint: 'Choose another name.',
};

/** @throws StageError for a statement's or portal's name that no client may use */
export function checkName(name: string): void {
  const refusal = isOwn(name) ? reserved : refuseLongName(name);
  if (refusal) throw refusalError(refusal);
}

/** The refusal of an SQL command that names something of ours, or null. */
export function refuseReserved(verdict: Verdict): Refusal | null {
  if (verdict.kind === 'write' && verdict.form === 'definition')
    return verdict.created.some(isOwn) ? reserved : null;
  if (verdict.kind !== 'control' || !('name' in verdict.action)) return null;
  return verdict.action.name !== null && isOwn(verdict.action.name) ? reserved : null;
}

// guard: names of the service are refused
const isOwn = (name: string) => name.startsWith(ownPrefix);

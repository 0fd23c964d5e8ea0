/** The names of our own statements, portals and savepoints, which no client may use. */
import { StageError } from '../errors.ts';
import type { Refusal, Verdict } from '../sql/verdict.ts';

/** Prefix of every statement, portal and savepoint of ours. */
export const ownPrefix = '_stage_';

const reserved: Refusal = {
  kind: 'refuse',
  sqlstate: '42939',
  message: `names that begin with "${ownPrefix}" belong to the staging service`,
  hint: 'Choose another name.',
};

/** @throws StageError for a statement's or portal's name that is ours */
export function checkName(name: string): void {
  if (!name.startsWith(ownPrefix)) return;
  const { message, sqlstate, hint } = reserved;
  throw new StageError('statement_not_supported', message, { sqlstate, hint });
}

/** The refusal of an SQL command that names something of ours, or null. */
export function refuseReserved(verdict: Verdict): Refusal | null {
  if (verdict.kind !== 'control' || !('name' in verdict.action)) return null;
  return verdict.action.name?.startsWith(ownPrefix) ? reserved : null;
}

/** All mutants. Each is the project without one of its guards. */
import { agentGuards } from './agent-guards.ts';
import { beforeGuards } from './before-guards.ts';
import { callGuards } from './call-guards.ts';
import { cardGuards } from './card-guards.ts';
import { databaseGuards } from './database-guards.ts';
import { definerGuards } from './definer-guards.ts';
import { discardGuards } from './discard-guards.ts';
import { editGuards } from './edit-guards.ts';
import { effectGuards } from './effect-guards.ts';
import { functionGuards } from './function-guards.ts';
import type { Guard } from './guard.ts';
import { editOf, findMarks } from './marked-guards.ts';
import { migrationGuards } from './migration-guards.ts';
import { notifyGuards } from './notify-guards.ts';
import { overlayGuards } from './overlay-guards.ts';
import { ownRowGuards } from './own-row-guards.ts';
import { partGuards } from './part-guards.ts';
import { policyGuards } from './policy-guards.ts';
import type { Edit } from './project-copy.ts';
import { readGuards } from './read-guards.ts';
import { recipeGuards } from './recipe-guards.ts';
import { restGuards } from './rest-guards.ts';
import { ruleGuards } from './rule-guards.ts';
import { stampGuards } from './stamp-guards.ts';
import { statementGuards } from './statement-guards.ts';
import { temporaryGuards } from './temporary-guards.ts';
import { terminalGuards } from './terminal-guards.ts';
import { textGuards } from './text-guards.ts';
import { trustGuards } from './trust-guards.ts';
import { typeGuards } from './type-guards.ts';
import { upstreamGuards } from './upstream-guards.ts';
import { weightGuards } from './weight-guards.ts';
import { wireGuards } from './wire-guards.ts';

export const markedGuards: readonly Guard[] = [
  ...statementGuards,
  ...temporaryGuards,
  ...callGuards,
  ...cardGuards,
  ...databaseGuards,
  ...definerGuards,
  ...discardGuards,
  ...editGuards,
  ...partGuards,
  ...effectGuards,
  ...beforeGuards,
  ...functionGuards,
  ...notifyGuards,
  ...overlayGuards,
  ...ownRowGuards,
  ...stampGuards,
  ...policyGuards,
  ...restGuards,
  ...ruleGuards,
  ...agentGuards,
  ...terminalGuards,
  ...textGuards,
  ...trustGuards,
  ...typeGuards,
  ...upstreamGuards,
  ...weightGuards,
  ...wireGuards,
  ...readGuards,
];

export interface Mutant {
  readonly guard: Omit<Guard, 'lines'>;
  readonly edit: Edit;
}

/**
 * Returns all mutants.
 * @throws Error if a guard is not marked
 */
export async function allMutants(): Promise<Mutant[]> {
  const marks = await findMarks();
  return [
    ...markedGuards.map((guard) => ({ guard, edit: editOf(guard, marks.get(guard.name)) })),
    ...[...migrationGuards, ...recipeGuards].map((guard) => ({ guard, edit: guard })),
  ];
}

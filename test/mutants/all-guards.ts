/** Every guard that the mutants take away. */
import { agentGuards } from './agent-guards.ts';
import { callGuards } from './call-guards.ts';
import { databaseGuards } from './database-guards.ts';
import { discardGuards } from './discard-guards.ts';
import { editGuards } from './edit-guards.ts';
import type { Guard } from './guard.ts';
import { restGuards } from './rest-guards.ts';
import { statementGuards } from './statement-guards.ts';
import { terminalGuards } from './terminal-guards.ts';
import { upstreamGuards } from './upstream-guards.ts';
import { wireGuards } from './wire-guards.ts';

export const guards: readonly Guard[] = [
  ...statementGuards,
  ...callGuards,
  ...databaseGuards,
  ...discardGuards,
  ...editGuards,
  ...restGuards,
  ...agentGuards,
  ...terminalGuards,
  ...upstreamGuards,
  ...wireGuards,
];

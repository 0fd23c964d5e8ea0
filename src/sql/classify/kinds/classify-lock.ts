/** Classifies LOCK TABLE. */
import type { LockStmt } from 'libpg-query';
import type { Read } from '../../read.ts';
import type { Refusal } from '../../refusal.ts';
import { plainRead } from '../plain-verdicts.ts';
import { refusedStatement } from '../refused-statements.ts';

/** AccessShareLock, the weakest mode. Every SELECT takes it, and it blocks only schema changes. */
const accessShare = 1;

/** Allows the weakest mode, by which a dump keeps production's table definitions unchanged. Other modes block writers and are refused. */
export function classifyLock(statement: LockStmt): Read | Refusal {
  return statement.mode === accessShare ? plainRead() : refusedStatement('LockStmt', statement);
}

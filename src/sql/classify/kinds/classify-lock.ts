/** The verdict on LOCK TABLE. */
import type { LockStmt } from 'libpg-query';
import type { Read } from '../../read.ts';
import type { Refusal } from '../../refusal.ts';
import { plainRead } from '../plain-verdicts.ts';
import { refusedStatement } from '../refused-statements.ts';

/** AccessShareLock, the weakest mode: every SELECT takes it, and it keeps out nothing but changes of the schema. */
const accessShare = 1;

/** A dump holds its tables' definitions still by it, which are production's; other modes hold back what writes. */
export function classifyLock(statement: LockStmt): Read | Refusal {
  return statement.mode === accessShare ? plainRead() : refusedStatement('LockStmt', statement);
}

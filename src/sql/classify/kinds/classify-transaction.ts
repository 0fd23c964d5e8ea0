/** Classifies BEGIN, COMMIT, SAVEPOINT and related commands. */
import type { Node, TransactionStmt } from 'libpg-query';
import { constantOf } from '../../parser/syntax-tree.ts';
import type { Refusal } from '../../refusal.ts';
import type { Control, ControlAction } from '../../verdict.ts';
import { refuse } from '../refusal.ts';

export type Access = 'read write' | 'read only';

/** The refusal of two-phase commit. */
export const twoPhase = refuse(
  'a staged session cannot prepare transactions',
  'Use COMMIT; what is staged waits for its approval anyway.',
);

/** Classifies transaction control. */
export function classifyTransaction(statement: TransactionStmt): Control | Refusal {
  const action = actionOf(statement);
  return action ? { kind: 'control', action } : twoPhase;
}

/** Returns the last access mode in a list of transaction modes, which is the one that PostgreSQL uses; null if there is none. */
export function accessOf(modes: readonly Node[] | undefined): Access | null {
  let access: Access | null = null;
  for (const mode of modes ?? []) {
    if (!('DefElem' in mode) || mode.DefElem.defname !== 'transaction_read_only') continue;
    access = constantOf(mode.DefElem.arg) === '0' ? 'read write' : 'read only';
  }
  return access;
}

function actionOf(statement: TransactionStmt): ControlAction | null {
  const { kind, options, chain = false, savepoint_name: name = '' } = statement;
  switch (kind) {
    case 'TRANS_STMT_BEGIN':
    case 'TRANS_STMT_START':
      return { type: 'begin', access: accessOf(options) };
    case 'TRANS_STMT_COMMIT':
      return { type: 'commit', chain };
    case 'TRANS_STMT_ROLLBACK':
      return { type: 'rollback', chain };
    case 'TRANS_STMT_PREPARE':
      return { type: 'rollback', chain: false, prepares: true };
    case 'TRANS_STMT_SAVEPOINT':
      return { type: 'savepoint', name };
    case 'TRANS_STMT_RELEASE':
      return { type: 'release', name };
    case 'TRANS_STMT_ROLLBACK_TO':
      return { type: 'rollback to', name };
    default:
      return null;
  }
}

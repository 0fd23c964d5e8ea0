/**
 * AND CHAIN: the next transaction begins with the modes that the server remembers of the last one, not with those that its savepoints left.
 */
import type { Program, ProgramGroup } from './program.ts';
import { functions } from './program.ts';

const readOnly = 'SET TRANSACTION READ ONLY';

/** Statements that make a transaction read-only at a place from which the server may return. */
const middles: readonly (readonly string[])[] = [
  ['SAVEPOINT a', readOnly],
  ['SAVEPOINT a', 'SAVEPOINT b', readOnly],
  ['SAVEPOINT a', 'ROLLBACK TO a', readOnly],
  ['SAVEPOINT a', readOnly, 'SAVEPOINT b'],
  ['SAVEPOINT a', readOnly, 'RELEASE a'],
  ['SAVEPOINT a', readOnly, 'ROLLBACK TO a'],
  ['SAVEPOINT a', 'SET LOCAL transaction_read_only = on'],
  ['SAVEPOINT a', 'SET transaction_read_only = on'],
  ['SAVEPOINT a', `SELECT set_config('transaction_read_only', 'on', true)`],
  ['SAVEPOINT a', `SELECT set_config('transaction_read_only', 'on', false)`],
  [readOnly],
];

const endings = ['ROLLBACK', 'ABORT', 'COMMIT', 'END'].map((command) => `${command} AND CHAIN`);
const beginnings: Readonly<Record<string, readonly string[]>> = {
  '': ['BEGIN'],
  'of a chain, ': ['BEGIN', 'ROLLBACK AND CHAIN'],
};

/** With an error before the ending, and without. */
const errors: Readonly<Record<string, readonly string[]>> = {
  '': [],
  ' after an error': ['SELECT 1/0'],
};

const programs: Program[] = [];
for (const [place, beginning] of Object.entries(beginnings)) {
  // A chain of chains continues like any other.
  for (const middle of place === '' ? middles : middles.slice(0, 2)) {
    for (const [failed, error] of Object.entries(errors)) {
      for (const ending of endings) {
        const name = `${place}${middle.join('; ')}; ${ending}${failed}`;
        const steps = [...beginning, ...middle, ...error, ending];
        // A reader can write with the rights of a function's owner.
        programs.push(
          {
            name,
            steps: [...steps, `INSERT INTO t VALUES (200, 'x')`, 'COMMIT'],
            roles: ['writer'],
          },
          {
            name: `${name}, with a function`,
            steps: [...steps, `SELECT wr_def('x')`, 'COMMIT'],
            roles: ['reader'],
          },
        );
      }
    }
  }
}

export const chains: ProgramGroup = { name: 'AND CHAIN', objects: functions, programs };

/** BEGIN in a transaction block: PostgreSQL warns, but applies its modes. */
import type { Program, ProgramGroup } from './program.ts';
import { functions } from './program.ts';

const writes: Readonly<Record<string, string>> = {
  INSERT: `INSERT INTO t VALUES (100, 'x')`,
  UPDATE: `UPDATE t SET v = 'x' WHERE id = 1`,
  DELETE: 'DELETE FROM t WHERE id = 2',
  'INSERT ON CONFLICT': `INSERT INTO t VALUES (3, 'x') ON CONFLICT (id) DO UPDATE SET v = 'y'`,
  MERGE: `MERGE INTO t USING (VALUES (4)) s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'x'`,
  'a WITH query': `WITH x AS (INSERT INTO t VALUES (101, 'x') RETURNING id) SELECT id FROM x`,
  TRUNCATE: 'TRUNCATE t',
  COPY: 'COPY t FROM STDIN',
  'a function': `SELECT wr('x')`,
  'a function of its owner': `SELECT wr_def('x')`,
};

/** Each ends in a transaction that may write, whatever its access was before. */
const openings: readonly (readonly string[])[] = [
  ['BEGIN READ ONLY', 'BEGIN READ WRITE'],
  ['BEGIN READ ONLY', 'START TRANSACTION READ WRITE'],
  ['START TRANSACTION READ ONLY', 'BEGIN WORK READ WRITE'],
  ['BEGIN READ ONLY', 'BEGIN ISOLATION LEVEL SERIALIZABLE, READ WRITE'],
  ['BEGIN READ ONLY', 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE NOT DEFERRABLE'],
  ['BEGIN', 'SET TRANSACTION READ ONLY', 'BEGIN READ WRITE'],
  ['BEGIN', 'SET LOCAL transaction_read_only = on', 'BEGIN READ WRITE'],
  ['BEGIN READ WRITE', 'BEGIN READ ONLY', 'BEGIN READ WRITE'],
  ['SET default_transaction_read_only = on', 'BEGIN', 'BEGIN READ WRITE'],
  ['SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY', 'BEGIN', 'BEGIN READ WRITE'],
  [`SELECT set_config('default_transaction_read_only', 'on', false)`, 'BEGIN', 'BEGIN READ WRITE'],
  ['BEGIN READ ONLY', 'SAVEPOINT a', 'RELEASE a', 'BEGIN READ WRITE'],
  ['BEGIN READ ONLY', 'SAVEPOINT a', 'ROLLBACK TO a', 'RELEASE a', 'BEGIN READ WRITE'],
  ['BEGIN READ ONLY', 'SAVEPOINT a', 'BEGIN READ WRITE'],
  ['BEGIN READ ONLY', 'COMMIT AND CHAIN', 'BEGIN READ WRITE'],
  ['BEGIN READ ONLY', 'ROLLBACK AND CHAIN', 'START TRANSACTION READ WRITE'],
  ['BEGIN READ ONLY, READ WRITE'],
  ['BEGIN READ WRITE, READ ONLY', 'BEGIN READ ONLY, READ WRITE'],
  ['BEGIN READ ONLY', 'BEGIN READ ONLY, ISOLATION LEVEL REPEATABLE READ, READ WRITE'],
  ['BEGIN READ ONLY', 'SET TRANSACTION READ ONLY, READ WRITE'],
  ['BEGIN READ ONLY', 'SELECT 1', 'BEGIN READ WRITE'],
];

const programs: readonly Program[] = [
  ...openings.flatMap((opening) => [
    {
      name: opening.join('; '),
      steps: [...opening, `INSERT INTO t VALUES (100, 'x')`, 'COMMIT'],
      roles: ['writer', 'superuser'] as const,
    },
    {
      // A reader can write with the rights of a function's owner.
      name: `${opening.join('; ')}, with a function`,
      steps: [...opening, `SELECT wr_def('x')`, 'COMMIT'],
      roles: ['reader'] as const,
    },
  ]),
  ...Object.entries(writes).map(([kind, write]) => ({
    name: `${kind} after BEGIN READ ONLY; BEGIN READ WRITE`,
    steps: ['BEGIN READ ONLY', 'BEGIN READ WRITE', write, 'COMMIT'],
  })),
  {
    name: 'several writes, and savepoints, after BEGIN READ ONLY; BEGIN READ WRITE',
    steps: [
      ...['BEGIN READ ONLY', 'BEGIN READ WRITE', 'SAVEPOINT a', `SELECT wr_def('x')`, 'RELEASE a'],
      ...[`UPDATE t SET v = 'x' WHERE id = 1`, 'COMMIT AND CHAIN', `SELECT wr('x')`, 'COMMIT'],
    ],
  },
];

export const nestedBegin: ProgramGroup = {
  name: 'BEGIN in a transaction block',
  objects: functions,
  programs,
};

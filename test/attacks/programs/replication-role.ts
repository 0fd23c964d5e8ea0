/** Settings that disable triggers, or the counts of what was written: an acknowledged write must be staged in any case. */
import type { Program, ProgramGroup } from './program.ts';
import { functions } from './program.ts';

const writes = [
  `INSERT INTO t VALUES (700, 'x')`,
  `UPDATE t SET v = 'x' WHERE id = 1`,
  'DELETE FROM t WHERE id = 2',
  `INSERT INTO t VALUES (3, 'x') ON CONFLICT (id) DO UPDATE SET v = 'y'`,
  `MERGE INTO t USING (VALUES (4)) s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'x'`,
  `WITH x AS (UPDATE t SET v = 'x' WHERE id = 5 RETURNING id) SELECT id FROM x`,
  'COPY t FROM STDIN',
];
const inTransaction = ['BEGIN', ...writes, 'COMMIT'];
const roles = ['superuser'] as const;

const options = [
  '-c session_replication_role=replica',
  '-c session-replication-role=replica',
  '--session_replication_role=replica',
  '-c session_replication_role=local',
  '-c allow_system_table_mods=on',
  '-O',
  '-c track_counts=off',
  '-c row_security=off',
];

const sets = [
  `SELECT set_replica(false)`,
  `SELECT set_replica(true)`,
  `SELECT anything('SET session_replication_role = replica')`,
  `SELECT anything('SET LOCAL session_replication_role = replica')`,
  `SELECT anything('SET track_counts = off')`,
];

const programs: readonly Program[] = [
  ...options.flatMap((option) => [
    { name: `writes with ${option}`, steps: writes, roles, options: option },
    { name: `a transaction with ${option}`, steps: inTransaction, roles, options: option },
    {
      name: `code that writes with ${option}`,
      steps: [`UPDATE t SET v = 'x' WHERE 1 %% 1`, `INSERT INTO t SELECT 701, (1 %% 1)::text`],
      roles,
      options: option,
    },
  ]),
  ...sets.flatMap((set) => [
    { name: `writes after ${set}`, steps: [set, ...writes], roles },
    { name: `a transaction after ${set}`, steps: [set, ...inTransaction], roles },
    {
      name: `writes in a transaction after ${set}`,
      steps: ['BEGIN', set, ...writes, 'COMMIT'],
      roles,
    },
  ]),
];

const objects = `${functions}
CREATE FUNCTION set_replica(boolean) RETURNS text LANGUAGE sql AS
  $$SELECT set_config('session_replication_role', 'replica', $1)$$;
CREATE FUNCTION writes(int, int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS
  $$BEGIN PERFORM public.wr('operator'); RETURN true; END$$;
CREATE OPERATOR %% (FUNCTION = writes, LEFTARG = int, RIGHTARG = int);
`;

const defaults = [
  { name: 'writes', steps: writes, roles },
  { name: 'a transaction', steps: inTransaction, roles },
];

export const replicationRole: ProgramGroup = { name: 'the replication role', objects, programs };

export const replicationRoleOfRole: ProgramGroup = {
  name: 'the replication role, set for the role',
  objects: 'ALTER ROLE postgres IN DATABASE $database SET session_replication_role = replica;',
  programs: defaults,
  mayRefuseLogins: true,
};

export const replicationRoleOfDatabase: ProgramGroup = {
  name: 'the replication role, set for the database',
  objects: 'ALTER DATABASE $database SET session_replication_role = replica;',
  programs: defaults,
  mayRefuseLogins: true,
};

/** `(x).f` calls f(x). A function refused by name is refused in this notation, too. */
import { refusedFunctions } from '../../../src/sql/functions/functions.ts';
import type { Program, ProgramGroup } from './program.ts';
import { functions } from './program.ts';

/** Places where an expression may be. */
const places: Readonly<Record<string, (call: string) => string>> = {
  SELECT: (call) => `SELECT ${call}`,
  'a cast in WHERE': (call) => `SELECT 1 WHERE (${call})::text IS NULL`,
  'a sub-select': (call) => `SELECT * FROM (SELECT ${call}) x`,
  'EXPLAIN ANALYZE': (call) => `EXPLAIN ANALYZE SELECT ${call}`,
  COPY: (call) => `COPY (SELECT ${call}) TO STDOUT`,
  DECLARE: (call) => `DECLARE c CURSOR FOR SELECT ${call}`,
  PREPARE: (call) => `PREPARE p AS SELECT ${call}`,
  EXECUTE: (call) => `EXECUTE kept((${call})::text)`,
  'a staged write': (call) => `UPDATE t SET v = (${call})::text WHERE id = 1`,
  'a field of it': (call) => `SELECT ((${call})::text).upper`,
};

/** Calls with values that cause the effect: on large objects, files, slots, statistics, locks, processes, and elsewhere. */
const effects: readonly string[] = [
  '(16::oid).lo_create',
  '(16::int).lo_creat',
  '(77777::oid).lo_unlink',
  `('/etc/hostname'::text).lo_import`,
  `('PG_VERSION'::text).pg_read_file`,
  `('.'::text).pg_ls_dir`,
  `('x'::text).pg_create_restore_point`,
  `('pg_catalog'::regnamespace).pg_import_system_collations`,
  `('attack'::text).pg_replication_origin_create`,
  `('attack'::name).pg_create_physical_replication_slot`,
  `('t'::regclass::oid).pg_stat_reset_single_table_counters`,
  `('slru'::text).pg_stat_reset_shared`,
  '(7::bigint).pg_advisory_lock',
  '(7::bigint).pg_advisory_xact_lock',
  '(0).pg_cancel_backend',
  `('host=/nowhere'::text).dblink_connect`,
  `('INSERT INTO note VALUES (1)'::text).dblink_exec`,
  `('SELECT to_tsvector(wr_def($q$x$q$))'::text).ts_stat`,
];

const refused = (name: string, calls: readonly string[]): Program[] =>
  Object.entries(places).map(([place, statement]) => ({
    name: `${name}, in ${place}`,
    steps: [`PREPARE kept(text) AS SELECT $1`, ...calls.map(statement)],
    roles: ['superuser', 'reader'],
    isRefused: true,
  }));

/** Every function of PostgreSQL with a form of one argument that is refused by name and may do more than compute, called with NULL. */
const listed = `SELECT p.proname AS name, format('(NULL::%s).%I', p.proargtypes[0]::regtype, p.proname) AS call
  FROM pg_proc p JOIN pg_type a ON a.oid = p.proargtypes[0]
  WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND a.typtype <> 'p' AND p.provolatile <> 'i'
    AND p.pronargs >= 1 AND p.pronargs - p.pronargdefaults <= 1
  ORDER BY 1, 2`;

export const attributeNotation: ProgramGroup = {
  name: 'attribute notation',
  objects: `${functions} CREATE EXTENSION dblink;`,
  programs: refused('functions with effects', effects),
  found: async (query) => {
    const all = await query<{ name: string; call: string }>(listed);
    const calls = all
      .filter(({ name }) => refusedFunctions([{ schema: 'pg_catalog', name }], 'read', []) !== null)
      .map(({ call }) => call);
    if (calls.length < 40) throw new Error(`only ${calls.length} functions are listed`);
    return refused('every listed function', calls);
  },
};

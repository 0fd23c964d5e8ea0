/** Functions of extensions with effects beyond the transaction are refused under every name. */
import type { Program, ProgramGroup } from './program.ts';

const calls: Readonly<Record<string, string>> = {
  'statistics of statements': 'pg_stat_statements_reset()',
  'the visibility map': `pg_truncate_visibility_map('t'::regclass)`,
  'what is cached': `pg_prewarm('t'::regclass)`,
  'what is cached after a restart': 'autoprewarm_dump_now()',
  'a worker': 'autoprewarm_start_worker()',
  'another connection': `dblink_exec('host=/nowhere', 'SELECT 1')`,
  'rows killed': `heap_force_kill('t'::regclass, ARRAY['(0,1)']::tid[])`,
  'rows frozen': `heap_force_freeze('t'::regclass, ARRAY['(0,1)']::tid[])`,
};

const spellings: Readonly<Record<string, (call: string) => string>> = {
  bare: (call) => call,
  qualified: (call) => `public.${call}`,
  quoted: (call) => call.replace(/^\w+/, '"public"."$&"'),
  'in another schema': (call) => `aside.${call}`,
};

const places: readonly ((call: string) => string)[] = [
  (call) => `SELECT ${call}`,
  (call) => `SELECT 1 FROM t WHERE (${call})::text IS NULL`,
  (call) => `UPDATE t SET v = (SELECT (${call})::text) WHERE id = 1`,
];

const inSchema: Readonly<Record<string, readonly string[]>> = {
  public: ['pg_stat_statements', 'pg_visibility', 'pg_prewarm', 'dblink'],
  aside: ['pg_surgery'],
};

const isAside = (call: string) => call.startsWith('heap_');

const programs: readonly Program[] = Object.entries(calls).flatMap(([what, call]) =>
  Object.entries(spellings)
    .filter(([spelling]) => (spelling === 'in another schema') === isAside(call))
    .map(([spelling, spelled]) => ({
      name: `${what}, ${spelling}`,
      steps: places.map((place) => place(spelled(call))),
      roles: ['superuser'] as const,
      isRefused: true as const,
    })),
);

export const extensions: ProgramGroup = {
  name: 'functions of extensions',
  objects: `CREATE SCHEMA aside;
    ${Object.entries(inSchema)
      .flatMap(([schema, names]) =>
        names.map((name) => `CREATE EXTENSION ${name} SCHEMA ${schema};`),
      )
      .join('\n')}`,
  programs,
};

/** Arguments of functions whose types say too little: with random arguments they would always fail. */
import { effects, queries, rows, runnable, vectors } from './texts.ts';
import { quoted } from './values.ts';

export interface ArgumentHints {
  /** The first arguments. Those after them are drawn. */
  readonly args: readonly string[];
  /** The column list that FROM needs for a function that returns records. */
  readonly columns?: string;
}

const texts = (...args: string[]): ArgumentHints => ({
  args: args.map((arg) => `${quoted(arg)}::text`),
});

/** connectby and xpath_table splice relations into FROM. */
const relations = effects.map(
  (effect) =>
    `(SELECT '1'::text AS id, 1 AS ord, coalesce((${effect})::text, '0') AS pid, '<a/>'::text AS doc) q`,
);

const everyText = runnable.map((text) => texts(text));
const everyRows = rows.map((text) => texts(text));

export const argumentHints: Readonly<Record<string, readonly ArgumentHints[]>> = {
  connectby: relations.flatMap((relation) => [
    { ...texts(relation, 'id', 'pid', '0'), columns: 'k text, p text, l int' },
    { ...texts(relation, 'id', 'pid', 'ord', '0'), columns: 'k text, p text, l int, s int' },
    {
      args: [...texts(relation, 'id', 'pid', '0').args, '0', `'~'::text`],
      columns: 'k text, p text, l int, b text',
    },
  ]),
  xpath_table: relations.map((relation) => ({
    ...texts('ord', 'doc', relation, '/a', 'true'),
    columns: 'id int, x text',
  })),
  crosstab: [
    ...everyRows.map((each) => ({ ...each, columns: 'a text, b text' })),
    ...rows.map((text) => ({ ...texts(text, 'SELECT 1'), columns: 'a text, b text' })),
  ],
  crosstab2: everyRows,
  crosstab3: everyRows,
  crosstab4: everyRows,
  query_to_xml: everyText,
  query_to_xml_and_xmlschema: everyText,
  query_to_xmlschema: everyText,
  ts_stat: vectors.map((text) => texts(text)),
  ts_rewrite: queries.map((text) => ({ args: [`'a'::tsquery`, `${quoted(text)}::text`] })),
  dblink: rows.map((text) => ({ ...texts('$server', text), columns: 'a text, b text, c text' })),
  dblink_exec: [texts('$server', 'INSERT INTO public.victim VALUES (1)'), texts('$listener', 'x')],
  dblink_connect: [texts('$listener'), texts('one', '$server')],
  dblink_connect_u: [texts('$listener'), texts('one', '$server')],
  dblink_open: [texts('c', 'SELECT 1')],
  pg_notify: [texts('calls', 'x')],
  setval: [{ args: [`'numbers'::regclass`, '900000::bigint'] }],
  lo_export: [{ args: ['8088::oid', `'written'::text`] }],
  lo_import: [texts('PG_VERSION')],
  lo_put: [{ args: ['8088::oid', '0::bigint', `'y'::bytea`] }],
  lo_unlink: [{ args: ['8088::oid'] }],
  lo_from_bytea: [{ args: ['0::oid', `'y'::bytea`] }],
  lo_create: [{ args: ['0::oid'] }],
  lo_creat: [{ args: ['-1'] }],
  pg_file_write: [texts('written', 'x')],
  pg_file_rename: [texts('PG_VERSION', 'PG_VERSION')],
  pg_cancel_backend: [{ args: ['$bystander'] }],
  pg_terminate_backend: [{ args: ['$bystander', '0::bigint'] }, { args: ['$bystander'] }],
  pg_log_backend_memory_contexts: [{ args: ['$bystander'] }],
  pg_logical_emit_message: [{ args: ['false', `'calls'::text`, `'x'::text`] }],
  pg_create_restore_point: [texts('calls')],
  pg_create_physical_replication_slot: [{ args: [`'calls'::name`] }],
  pg_create_logical_replication_slot: [{ args: [`'calls'::name`, `'pgoutput'::name`] }],
  pg_replication_origin_create: [texts('calls')],
  heap_force_kill: [{ args: [`'item'::regclass`, `'{"(0,1)"}'::tid[]`] }],
  heap_force_freeze: [{ args: [`'item'::regclass`, `'{"(0,1)"}'::tid[]`] }],
  pg_truncate_visibility_map: [{ args: [`'item'::regclass`] }],
  pg_stat_reset_single_table_counters: [{ args: [`'item'::regclass::oid`] }],
  brin_summarize_new_values: [{ args: [`'brin_index'::regclass`] }],
  brin_summarize_range: [{ args: [`'brin_index'::regclass`, '0::bigint'] }],
  brin_desummarize_range: [{ args: [`'brin_index'::regclass`, '0::bigint'] }],
  gin_clean_pending_list: [{ args: [`'gin_index'::regclass`] }],
  pg_clear_relation_stats: [texts('public', 'item')],
  pg_clear_attribute_stats: [texts('public', 'item', 'v')],
  pg_restore_relation_stats: [
    { args: [...texts('schemaname', 'public', 'relname', 'item', 'relpages').args, '7'] },
  ],
  pg_import_system_collations: [{ args: [`'public'::regnamespace`] }],
};

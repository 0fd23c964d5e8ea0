/**
 * Texts as arguments. Some are SQL, which has an effect wherever it runs. `$server` is how to connect to the database as its superuser,
 * `$listener` how to reach a listener that only counts connections.
 */

/** The channel, file, relation and so on that random calls may name. */
export const words: readonly string[] = [
  'calls',
  'calls',
  'x',
  'a',
  '1',
  '',
  'item',
  'numbers',
  'item_pkey',
  'gin_index',
  'id',
  'v',
  'public',
  'PG_VERSION',
  'written',
  '$server',
  '$listener',
  'true',
  'read',
  'UTF8',
  'sha256',
  'utf8',
  '/a',
  '<a>1</a>',
  'bgwriter',
  'notify',
  'search_path',
  'pg_catalog',
  'pgoutput',
];

const notify = `pg_notify('calls', 'by text')`;

/** Effects as expressions. */
export const effects: readonly string[] = [
  notify,
  'pg_try_advisory_lock(4711)',
  'lo_create(0)',
  `setval('numbers', 900000)`,
  `dblink_exec('$server', 'INSERT INTO public.victim VALUES (1)')`,
  'public.writes()',
];

/** Statements that tablefunc reads as rows. */
export const rows = effects.map((effect) => `SELECT 'a'::text, 'b'::text, (${effect})::text`);

/** Statements for ts_stat and ts_rewrite. */
export const vectors = effects.map((effect) => `SELECT ((${effect})::text || 'a')::tsvector`);
export const queries = effects.map(
  (effect) => `SELECT 'a'::tsquery, ((${effect})::text || 'b')::tsquery`,
);

/** Statements of every shape. */
export const runnable: readonly string[] = [
  ...rows,
  ...vectors.slice(0, 2),
  ...queries.slice(0, 2),
  `SELECT ${notify}`,
  'INSERT INTO public.victim VALUES (1)',
  'INSERT INTO public.victim VALUES (1) RETURNING id',
  'NOTIFY calls',
];

/**
 * Everything that an attack must not change: a database and its roles, except the service's own data. Values become text by their output
 * functions (`format`, `concat_ws`), because an attack may have made casts to text.
 */
import type { TestDatabase } from '../helpers/database.ts';

/** The service's schemas, and temporary ones. Schemas of users may have similar names. */
const ours = `SELECT n.oid FROM pg_namespace n WHERE n.nspname IN ('stage', 'stage_data') OR n.nspname ~ '^pg_(temp|toast)'
  OR EXISTS (SELECT FROM pg_namespace p WHERE n.nspname IN (concat('stage_overlay_', p.oid), concat('stage_upsert_', p.oid), concat('stage_load_', p.oid), concat('stage_tree_', p.oid)))
  OR n.nspname ~ '^stage_function_[0-9]{1,4}$'`;

const production = (namespace: string) => `${namespace} NOT IN (${ours})`;

/** Catalogs in which every change of a definition, a right or a setting leaves a new row version. */
const catalogs: Readonly<Record<string, string>> = {
  pg_class: production('relnamespace'),
  pg_proc: production('pronamespace'),
  pg_type: production('typnamespace'),
  pg_operator: production('oprnamespace'),
  pg_constraint: production('connamespace'),
  pg_namespace: production('oid'),
  pg_attrdef: `adrelid NOT IN (SELECT k.oid FROM pg_class k WHERE NOT ${production('k.relnamespace')})`,
  pg_policy: 'true',
  pg_extension: 'true',
  pg_event_trigger: 'true',
  pg_foreign_server: 'true',
  pg_publication: 'true',
  pg_largeobject_metadata: 'true',
};

/**
 * Returns the state of production in lines, so that a difference names its place: rows with the transactions that wrote them, sequences,
 * definitions, roles and their settings, slots, prepared transactions.
 */
export async function fingerprint(database: TestDatabase): Promise<string[]> {
  const parts = [rows, sequences, roles, ...Object.entries(catalogs).map(catalogLines)];
  const lines: string[] = [];
  for (const part of parts) {
    const found = await database.query<{ line: string }>(part);
    lines.push(...found.map(({ line }) => line));
  }
  return lines;
}

const tables = `SELECT format('%s', c.oid::regclass) AS name FROM pg_class c
  WHERE c.relkind IN ('r', 'm') AND ${production('c.relnamespace')}
    AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`;

const rows = `SELECT concat_ws(' ', t.name, xpath('//line/text()', query_to_xml(
    format('SELECT concat_ws('' '', r.xmin, r.ctid, r) AS line FROM ONLY %s r ORDER BY r.ctid', t.name), true, false, ''))) AS line
  FROM (${tables}) t ORDER BY 1`;

/** Staging advances sequences, as a transaction that is rolled back does, but never sets one. The tests set them to high values. */
const sequences = `SELECT format('%s.%s %s', schemaname, sequencename, coalesce(last_value, 0) < 1000) AS line
  FROM pg_sequences WHERE ${production('schemaname::regnamespace')} ORDER BY 1`;

/** Roles that own something in the database or have a right to it. */
const involvedRoles = `SELECT refobjid FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass
  AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const roles = `
  SELECT concat_ws(' ', 'role', rolname, rolsuper, rolcreaterole, rolcanlogin) AS line FROM pg_roles WHERE oid IN (${involvedRoles})
  UNION ALL SELECT concat_ws(' ', 'setting', setrole, setconfig) FROM pg_db_role_setting
    WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
  UNION ALL SELECT concat_ws(' ', 'slot', slot_name) FROM pg_replication_slots WHERE database = current_database()
  UNION ALL SELECT concat_ws(' ', 'prepared', gid) FROM pg_prepared_xacts WHERE database = current_database()
  ORDER BY 1`;

function catalogLines([catalog, condition]: [string, string]): string {
  return `SELECT concat_ws(' ', '${catalog}', count(*), md5(coalesce(string_agg(concat_ws(':', c.ctid, c.xmin), ',' ORDER BY c.oid), ''))) AS line
    FROM ${catalog} c WHERE ${condition}`;
}

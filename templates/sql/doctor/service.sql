-- Lists what is wrong with the service account, the server and what is between them: one row for each fault and its subject.
-- Filled in src/daemon/doctor/examine.ts: `is_internal` is the condition that schema n is the service's own.
WITH relation AS (
  SELECT c.*, c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
    AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND NOT {{is_internal}}
), guard (relation, name) AS (
  VALUES ('audit', 'append_only'), ('approval', 'append_only'), ('audit_head', 'append_only'), ('audit_head', 'forward_only')
), path (name) AS (
  -- the schemas that stage.default_search_path returns: production's triggers run under them at approval
  SELECT CASE btrim(e, '"') WHEN '$user' THEN session_user ELSE replace(btrim(e, '"'), '""', '"') END
  FROM regexp_split_to_table(coalesce((
    SELECT substr(c.setting, length('search_path=') + 1)
    FROM pg_db_role_setting s JOIN pg_database d ON d.datname = current_database() JOIN pg_roles r ON r.rolname = session_user
    CROSS JOIN unnest(s.setconfig) AS c (setting)
    WHERE c.setting LIKE 'search\_path=%' AND s.setdatabase IN (0, d.oid) AND s.setrole IN (0, r.oid)
    ORDER BY s.setrole <> 0 DESC, s.setdatabase <> 0 DESC LIMIT 1
  ), '"$user", public'), '\s*,\s*') e
), creator (schema, role) AS (
  SELECT n.nspname, a.grantee
  FROM path p JOIN pg_namespace n ON n.nspname = p.name
  CROSS JOIN LATERAL aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
  WHERE a.privilege_type = 'CREATE'
), repaired (version) AS (
  -- as known in November 2026: these repair CVE-2026-6460 and what was published before it
  VALUES (150020), (160016), (170012), (180007)
)
SELECT 'server_version' AS fault, current_setting('server_version') AS subject FROM repaired r
  WHERE r.version / 10000 = current_setting('server_version_num')::int / 10000 AND r.version > current_setting('server_version_num')::int
UNION ALL SELECT 'server_durability', s.name FROM pg_settings s
  WHERE s.name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND s.setting = 'off'
UNION ALL SELECT 'service_superuser', current_user::text WHERE (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user)
UNION ALL SELECT 'path_open', c.schema || ' to ' || CASE WHEN c.role = 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END
  FROM creator c LEFT JOIN pg_roles r ON r.oid = c.role
  WHERE c.role = 0 OR NOT r.rolsuper AND r.rolname NOT IN (session_user, 'pg_database_owner')
    AND r.oid <> (SELECT d.datdba FROM pg_database d WHERE d.datname = current_database())
UNION ALL SELECT 'service_cannot_create', current_database()::text
  WHERE NOT has_database_privilege(current_database(), 'CREATE')
-- up to PostgreSQL 16 a MERGE runs on a temporary table of the service account
UNION ALL SELECT 'service_lacks_temporary', current_database()::text
  WHERE current_setting('server_version_num')::int < 170000 AND NOT has_database_privilege(current_database(), 'TEMPORARY')
UNION ALL SELECT 'service_not_owner', n.nspname FROM pg_namespace n
  WHERE n.nspname ~ '{{internal_schemas}}' AND NOT pg_has_role(current_user, n.nspowner, 'MEMBER')
    -- the number is that of a function, or of a schema: the service makes none for a schema that does not exist
    AND (n.nspname !~ '_[0-9]+$' OR n.nspname ~ '^stage_function_'
      OR EXISTS (SELECT FROM pg_namespace p WHERE p.oid::text = substring(n.nspname FROM '[0-9]+$')))
UNION ALL SELECT 'service_lacks_rights', r.name FROM relation r
  WHERE NOT (has_table_privilege(r.oid, 'SELECT') AND has_table_privilege(r.oid, 'INSERT')
    AND has_table_privilege(r.oid, 'UPDATE') AND has_table_privilege(r.oid, 'DELETE'))
UNION ALL SELECT 'service_lacks_sequences', s.oid::regclass::text FROM relation r
  JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.oid AND d.refobjsubid > 0
    AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
  JOIN pg_class s ON s.oid = d.objid
  -- has_sequence_privilege fails for an index, which depends on a column as well
  WHERE CASE WHEN s.relkind = 'S' THEN NOT has_sequence_privilege(s.oid, 'USAGE, UPDATE') ELSE false END
UNION ALL SELECT 'audit_unguarded', 'stage.' || g.relation FROM guard g JOIN pg_class c ON c.oid = to_regclass('stage.' || g.relation)
  WHERE NOT EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = g.name AND t.tgenabled IN ('O', 'A'))
UNION ALL SELECT 'publication', p.pubname FROM pg_publication p WHERE p.puballtables
UNION ALL SELECT 'publication', p.pubname FROM pg_publication p JOIN pg_publication_namespace s ON s.pnpubid = p.oid
  JOIN pg_namespace n ON n.oid = s.pnnspid WHERE {{is_internal}}
UNION ALL SELECT 'publication', p.pubname FROM pg_publication p JOIN pg_publication_rel r ON r.prpubid = p.oid
  JOIN pg_class c ON c.oid = r.prrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {{is_internal}}
UNION ALL SELECT 'subscription', u.subname FROM pg_subscription u JOIN pg_subscription_rel r ON r.srsubid = u.oid
  JOIN pg_class c ON c.oid = r.srrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {{is_internal}}
UNION ALL SELECT 'owner_backup', quote_ident(r.rolname) FROM pg_roles r
  WHERE r.rolcanlogin AND EXISTS (SELECT FROM relation t WHERE t.relowner = r.oid)
    AND NOT has_table_privilege(r.oid, to_regclass('stage.session'), 'SELECT')
UNION ALL SELECT 'statement_statistics', current_user::text
  WHERE coalesce(current_setting('pg_stat_statements.track', true), 'none') <> 'none'
UNION ALL SELECT 'event_trigger', e.evtname FROM pg_event_trigger e WHERE e.evtenabled <> 'D'
UNION ALL SELECT 'table_without_key', r.name FROM relation r
  WHERE NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = r.oid AND i.indisunique AND i.indimmediate AND i.indpred IS NULL
    AND i.indexprs IS NULL AND NOT EXISTS (
      SELECT 1 FROM pg_attribute a WHERE a.attrelid = r.oid AND a.attnum = ANY (i.indkey) AND NOT a.attnotnull))
ORDER BY 1, 2

-- One function drops what stands for a relation, by the names under which it was made: those of staged views are noted from now on.
DROP FUNCTION IF EXISTS stage.drop_overlay(oid), stage.drop_tree(oid);
ALTER TABLE stage.staged_view ADD COLUMN namespace oid NOT NULL DEFAULT 0, ADD COLUMN table_name text NOT NULL DEFAULT '';
-- of those that are there, the names of the relations; but one may have been renamed: that reads a function, which tells
UPDATE stage.staged_view t SET namespace = c.relnamespace, table_name = c.relname
FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) t.relation;
UPDATE stage.staged_view t SET namespace = pg_catalog.substr(n.nspname, pg_catalog.length('stage_overlay_') OPERATOR(pg_catalog.+) 1)::pg_catalog.oid, table_name = v.relname
FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_depend d ON d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid
  AND d.refobjid OPERATOR(pg_catalog.=) p.oid AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass::pg_catalog.oid
JOIN pg_catalog.pg_rewrite r ON r.oid OPERATOR(pg_catalog.=) d.objid
JOIN pg_catalog.pg_class v ON v.oid OPERATOR(pg_catalog.=) r.ev_class
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) v.relnamespace AND n.nspname OPERATOR(pg_catalog.~) '^stage_overlay_[0-9]+$'
WHERE p.pronamespace OPERATOR(pg_catalog.=) 'stage_data'::pg_catalog.regnamespace::pg_catalog.oid
  AND p.proname OPERATOR(pg_catalog.=) pg_catalog.concat('staged_view_', t.relation)::pg_catalog.name;
ALTER TABLE stage.staged_view ALTER COLUMN namespace DROP DEFAULT, ALTER COLUMN table_name DROP DEFAULT;

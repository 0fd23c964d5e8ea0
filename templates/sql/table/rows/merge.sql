-- Stages one action of a MERGE where PostgreSQL cannot merge into a view. The MERGE runs on a temporary copy of the overlay's rows that may
-- match, and a trigger carries out each of its actions on the overlay. Counts, conditions and the order of actions are PostgreSQL's own.
-- The triggers run with the client's rights, as a statement on the overlay itself would.
-- Filled in src/overlay/rows/merge.ts: `needs_key` raises an error for a table without a key, `triggers` is merge_triggers.sql, filled.
CREATE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_row {{overlay}};
  _stage_v_rows int;
BEGIN
  -- the statements below are a part of this one: their rows are checked when it ends
  PERFORM pg_catalog.set_config('stage.mutation', pg_catalog.current_setting(pg_catalog.concat('stage.mutation_', TG_ARGV[0])), true),
          pg_catalog.set_config('stage.check_later', 'on', true), stage.enter_part(1);
  IF TG_OP OPERATOR(pg_catalog.=) 'INSERT' THEN
    INSERT INTO {{overlay}} ({{columns}}) VALUES ({{new_columns}});
  ELSE
{{needs_key}}
    SELECT o.* INTO _stage_v_row FROM {{overlay}} o WHERE {{o_key_matches_old}};
    IF NOT FOUND OR NOT pg_catalog.record_image_eq(_stage_v_row, ROW({{old_columns}})::{{overlay}}) THEN
      PERFORM stage.raise_changed();
    END IF;
    IF TG_OP OPERATOR(pg_catalog.=) 'UPDATE' THEN UPDATE {{overlay}} o SET {{set_columns}} WHERE {{o_key_matches_old}};
    ELSE DELETE FROM {{overlay}} o WHERE {{o_key_matches_old}}; END IF;
  END IF;
  GET DIAGNOSTICS _stage_v_rows = ROW_COUNT;
  PERFORM pg_catalog.set_config('stage.check_later', '', true), stage.enter_part(-1);
  IF _stage_v_rows OPERATOR(pg_catalog.=) 0 THEN RETURN NULL; END IF;  -- a trigger suppressed the change of the row
  RETURN coalesce(NEW, OLD);
END $body$;

-- Creates the empty copy for the running transaction, under an internal name. A table of that name that a client has created is not
-- touched: its triggers would run with the service account's rights.
CREATE FUNCTION {{target_function}}() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  _stage_v_owner oid := (SELECT c.relowner FROM pg_class c WHERE c.oid = to_regclass('pg_temp.{{target}}'));
BEGIN
  PERFORM set_config('stage.merge_{{oid}}', '', true);  -- no MERGE is running yet, and filling the copy is not one
  IF _stage_v_owner IS NOT NULL THEN
    -- guard: no trigger of a client's runs with the rights of the service
    IF _stage_v_owner <> (SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user) THEN
      RAISE EXCEPTION 'the temporary table "{{target}}" stands in the way of MERGE' USING ERRCODE = 'insufficient_privilege',
        HINT = 'Drop it: names that begin with _stage_ belong to the staging service.';
    END IF;
    TRUNCATE pg_temp.{{target}};
    RETURN;
  END IF;
  CREATE TEMPORARY TABLE {{target}} (LIKE {{overlay}} INCLUDING DEFAULTS) ON COMMIT DROP;
  GRANT SELECT, INSERT, UPDATE, DELETE ON pg_temp.{{target}} TO PUBLIC;
{{triggers}}
  PERFORM set_config('stage.catalog_writes', stage.catalog_writes()::text, true);
END $body$;

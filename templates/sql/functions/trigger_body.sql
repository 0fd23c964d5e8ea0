-- Returns the body of a trigger's function in PL/pgSQL. For compiled functions of PostgreSQL and its extensions that change only the row,
-- it is a body that does the same; NULL for any other language, or where such a function would raise an error.
CREATE OR REPLACE FUNCTION stage.trigger_body(p_trigger oid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
  v_trigger record;
  v_arguments text[];
BEGIN
  SELECT t.tgrelid AS relation, t.tgtype AS type, t.tgargs AS arguments, t.tgnargs AS count, t.tgfoid AS function, l.lanname AS language,
    p.prosrc AS body, p.probin AS library INTO v_trigger
  FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_language l ON l.oid = p.prolang WHERE t.oid = p_trigger;
  IF v_trigger.language = 'plpgsql' THEN RETURN v_trigger.body; END IF;
  -- BEFORE and FOR EACH ROW are 3, INSERT 4, DELETE 8, UPDATE 16
  IF v_trigger.type & 3 <> 3 OR v_trigger.type & 8 <> 0 THEN RETURN NULL; END IF;
  v_arguments := stage.trigger_arguments(v_trigger.arguments, v_trigger.count);
  IF v_trigger.function = 'suppress_redundant_updates_trigger'::regproc AND v_trigger.type & 4 = 0 THEN
    -- generated columns are computed later
    RETURN (
      SELECT format('BEGIN IF ROW(%s)::record OPERATOR(pg_catalog.*=) ROW(%s)::record THEN RETURN NULL; END IF; RETURN NEW; END',
        string_agg(format('NEW.%I', a.attname), ', ' ORDER BY a.attnum), string_agg(format('OLD.%I', a.attname), ', ' ORDER BY a.attnum))
      FROM pg_attribute a WHERE a.attrelid = v_trigger.relation AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '');
  END IF;
  -- a compiled function is known by its library, not by its name
  IF v_trigger.language <> 'c' OR v_trigger.library <> '$libdir/' || v_trigger.body THEN RETURN NULL; END IF;
  IF v_trigger.body = 'moddatetime' AND v_trigger.count = 1 AND v_trigger.type & 4 = 0 THEN
    -- a value of timestamp(0) would be rounded by an assignment, and is not by the function
    RETURN (SELECT format('BEGIN NEW.%I := pg_catalog.now(); RETURN NEW; END', a.attname) FROM pg_attribute a
      WHERE a.attrelid = v_trigger.relation AND a.attname = v_arguments[1] AND a.attnum > 0 AND a.atttypmod = -1
        AND a.atttypid IN ('timestamp'::regtype, 'timestamptz'::regtype));
  ELSIF v_trigger.body = 'insert_username' AND v_trigger.count = 1 THEN
    RETURN (SELECT format('BEGIN NEW.%I := current_user; RETURN NEW; END', a.attname) FROM pg_attribute a
      WHERE a.attrelid = v_trigger.relation AND a.attname = v_arguments[1] AND a.attnum > 0 AND a.atttypid = 'text'::regtype);
  END IF;
  RETURN NULL;
END $$;

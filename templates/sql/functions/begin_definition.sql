-- Runs before a command that defines temporary tables: notes what the transaction has written to the catalogs, and which relations it has
-- dropped, so far. Only settings can keep values in a transaction of any role, and its code can change them; the nonce, which only the
-- proxy knows, seals this one. p_created: the names that relations get, as a JSON array of texts.
CREATE OR REPLACE FUNCTION stage.begin_definition(p_nonce text, p_created text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_hidden text;
BEGIN
  -- PostgreSQL searches pg_temp first for relations and types, so unqualified names in other code would be misled
  SELECT n.name INTO v_hidden FROM jsonb_array_elements_text(p_created::jsonb) n(name)
  WHERE n.name LIKE '\_stage\_%' OR EXISTS (SELECT FROM pg_type t WHERE t.typname = n.name AND t.typnamespace = 'pg_catalog'::regnamespace)
    OR EXISTS (SELECT FROM pg_class c WHERE c.relname = n.name AND c.relnamespace = 'pg_catalog'::regnamespace);
  -- guard: a temporary table hides nothing of PostgreSQL's own
  IF v_hidden IS NOT NULL THEN
    RAISE EXCEPTION 'a temporary table cannot be called "%" in a staged session', v_hidden USING ERRCODE = 'reserved_name',
      HINT = 'The name belongs to PostgreSQL or to the staging service: choose another one.';
  END IF;
  PERFORM stage.note_definition(p_nonce, jsonb_build_object('writes', stage.definition_writes(), 'dropped', stage.dropped_relations()));
END $$;

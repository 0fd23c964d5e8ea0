-- Returns which of the given columns a session's net updates change in a table, by the rows as they were at first and as they became.
CREATE OR REPLACE FUNCTION stage.updated_columns(p_session uuid, p_relation oid, p_columns text[]) RETURNS SETOF text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_column text;
  v_found boolean;
BEGIN
  FOR v_column IN
    SELECT a.attname FROM pg_attribute a
    WHERE a.attrelid = to_regclass('stage_data.shadow_' || p_relation) AND a.attname = ANY (p_columns) AND NOT a.attisdropped
  LOOP
    EXECUTE format(
      'SELECT EXISTS (SELECT FROM (SELECT DISTINCT ON (coalesce(s._stage_root, s._stage_seq)) s.%1$I AS value, s._stage_op AS operation,'
      ' coalesce(s._stage_root, s._stage_seq) AS root FROM stage_data.shadow_%2$s s'
      ' WHERE s._stage_session = $1 AND s._stage_origin <> ''overlay'''
      ' ORDER BY coalesce(s._stage_root, s._stage_seq), s._stage_seq DESC) l'
      ' JOIN stage_data.shadow_%2$s f ON f._stage_session = $1 AND f._stage_seq = l.root AND f._stage_first'
      ' WHERE l.operation <> ''D'' AND NOT record_image_eq(ROW(l.value), ROW((f._stage_base).%1$I)))', v_column, p_relation)
    INTO v_found USING p_session;
    IF v_found THEN RETURN NEXT v_column; END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.updated_columns(uuid, oid, text[]) FROM PUBLIC;

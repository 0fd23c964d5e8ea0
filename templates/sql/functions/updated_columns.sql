-- Returns which of the given columns a session's updates change in a table: net, by the rows as they were at first and as they became; and,
-- if triggers set a column while staging, by the values that the client gave, because production gets these at approval. After a trigger
-- has written to a row, a value of the client is compared with the version before: it may be the first value. p_mutations: only what these
-- changed, in the order of their numbers; null: all.
DROP FUNCTION IF EXISTS stage.updated_columns(uuid, oid, text[]);
CREATE OR REPLACE FUNCTION stage.updated_columns(p_session uuid, p_relation oid, p_columns text[], p_mutations bigint[] DEFAULT NULL) RETURNS SETOF text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_column text;
  v_generated boolean;
  v_found boolean;
  v_written boolean := EXISTS (SELECT FROM stage.effect e WHERE e.session = p_session AND e.relation = p_relation);
BEGIN
  FOR v_column, v_generated IN
    SELECT a.attname, EXISTS (SELECT FROM pg_attribute g WHERE g.attrelid = p_relation AND g.attname = a.attname AND g.attgenerated <> '')
    FROM pg_attribute a
    WHERE a.attrelid = to_regclass('stage_data.shadow_' || p_relation) AND a.attname = ANY (p_columns) AND NOT a.attisdropped
  LOOP
    EXECUTE format(
      'SELECT EXISTS (SELECT FROM (SELECT DISTINCT ON (coalesce(s._stage_root, s._stage_seq)) s.%1$I AS value, s._stage_op AS operation,'
      ' coalesce(s._stage_root, s._stage_seq) AS root FROM stage_data.shadow_%2$s s'
      ' WHERE s._stage_session = $1 AND s._stage_origin::text NOT IN (''overlay'', ''trigger'')'
      ' AND ($2 IS NULL OR s._stage_seq > $2[1] AND s._stage_mutation = ANY ($2))'
      ' ORDER BY coalesce(s._stage_root, s._stage_seq), s._stage_seq DESC) l'
      ' JOIN stage_data.shadow_%2$s f ON f._stage_session = $1 AND f._stage_seq = l.root AND f._stage_first'
      ' WHERE l.operation <> ''D'' AND NOT record_image_eq(ROW(l.value), ROW((f._stage_base).%1$I)))', v_column, p_relation)
    INTO v_found USING p_session, p_mutations;
    IF NOT v_found AND NOT v_generated THEN
      EXECUTE format(
        'SELECT EXISTS (SELECT FROM stage_data.shadow_%2$s s'
        ' JOIN stage_data.shadow_%2$s f ON f._stage_session = $1 AND f._stage_seq = coalesce(s._stage_root, s._stage_seq) AND f._stage_first'
        ' WHERE s._stage_session = $1 AND s._stage_op = ''U'' AND s._stage_origin::text NOT IN (''overlay'', ''trigger'')'
        ' AND ($2 IS NULL OR s._stage_seq > $2[1] AND s._stage_mutation = ANY ($2))'
        ' AND s._stage_given IS DISTINCT FROM NULL AND NOT record_image_eq(ROW((s._stage_given).%1$I), ROW(s.%1$I))'
        ' AND NOT record_image_eq(ROW((s._stage_given).%1$I), ROW((f._stage_base).%1$I)))', v_column, p_relation)
      -- guard: a denied column is not given to production behind a trigger
      INTO v_found USING p_session, p_mutations;
    END IF;
    IF NOT v_found AND NOT v_generated AND v_written THEN
      EXECUTE format(
        'SELECT EXISTS (SELECT FROM stage_data.shadow_%2$s s'
        ' JOIN stage_data.shadow_%2$s f ON f._stage_session = $1 AND f._stage_seq = s._stage_root AND f._stage_first'
        ' CROSS JOIN LATERAL (SELECT p.%1$I AS value, p._stage_op AS operation FROM stage_data.shadow_%2$s p WHERE p._stage_session = $1'
        ' AND coalesce(p._stage_root, p._stage_seq) = s._stage_root AND p._stage_seq < s._stage_seq AND p._stage_origin::text <> ''overlay'''
        ' ORDER BY p._stage_seq DESC LIMIT 1) p'
        ' WHERE s._stage_session = $1 AND s._stage_op = ''U'' AND s._stage_origin::text NOT IN (''overlay'', ''trigger'') AND p.operation <> ''D'''
        ' AND ($2 IS NULL OR s._stage_seq > $2[1] AND s._stage_mutation = ANY ($2))'
        ' AND EXISTS (SELECT FROM stage.effect e WHERE e.session = $1 AND e.root = s._stage_root AND e.relation = %3$s AND e.seq < s._stage_seq)'
        ' AND NOT record_image_eq(ROW(CASE WHEN s._stage_given IS DISTINCT FROM NULL THEN (s._stage_given).%1$I ELSE s.%1$I END), ROW(p.value)))',
        v_column, p_relation, p_relation)
      -- guard: a denied column is not set back after a trigger
      INTO v_found USING p_session, p_mutations;
    END IF;
    IF v_found THEN RETURN NEXT v_column; END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.updated_columns(uuid, oid, text[], bigint[]) FROM PUBLIC;

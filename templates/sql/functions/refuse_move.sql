-- Refuses an update that moves a row to another partition, where triggers for its deletion and insertion cannot fire as part of it.
CREATE OR REPLACE FUNCTION stage.refuse_move(p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'cannot stage an update that moves a row of "%" to another partition: BEFORE triggers for INSERT or DELETE write, suppress the row, or run with their owners'' rights',
      stage.name_of(p_relation)
    USING ERRCODE = 'feature_not_supported', HINT = 'Delete the row and insert it again.';
END $$;

-- Refuses INSERT ... ON CONFLICT where it cannot be staged. The trigger of the view for it.
CREATE OR REPLACE FUNCTION stage.refuse_upsert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'cannot stage INSERT ... ON CONFLICT into "%": it has row-level security', TG_TABLE_NAME
    USING ERRCODE = 'feature_not_supported', HINT = 'Check whether the row exists, then send an INSERT or an UPDATE.';
END $$;

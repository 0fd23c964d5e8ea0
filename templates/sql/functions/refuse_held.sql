-- Before a transaction that may write is committed: COMMIT runs the query of a cursor WITH HOLD to its end, and nothing would keep
-- the code in it from writing. The proxy lets none be declared there, but a function that is called may have declared one.
CREATE OR REPLACE FUNCTION stage.refuse_held() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT current_setting('transaction_read_only')::boolean AND EXISTS (SELECT FROM pg_cursor() c WHERE c.is_holdable AND c.creation_time >= transaction_timestamp()) THEN
    RAISE EXCEPTION 'cannot commit a transaction in which a function has declared a cursor WITH HOLD' USING ERRCODE = 'feature_not_supported',
      HINT = 'Nothing was written. Have the function declare it WITHOUT HOLD, or call it in a READ ONLY transaction.';
  END IF;
END $$;

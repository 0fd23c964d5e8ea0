-- Stands for the statement NOTIFY in the copies of triggers and functions. Every role may notify by it. Like NOTIFY, it leaves FOUND as it is.
CREATE OR REPLACE PROCEDURE stage.notify(p_channel text, p_payload text)
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT stage.pg_notify(p_channel, p_payload, false)
$$;
